package import BLEOTAWire

/// A device's report on the image that it runs (spec/bleota.md, section 7.1).
///
/// Two reports are equal if they are of the same image in the same state.
public struct RunningImage: Sendable, CustomStringConvertible {
    /// The reported state of the running image.
    package var state: RunningState
    /// The first 8 bytes of the SHA-256 of the running image, as a little-endian number; 0 if
    /// the image is unknown.
    package var tag: UInt64
    /// The SHA-256 of the running image; `nil` if only the tag is known.
    package var sha256: [UInt8]?
    /// The version of the running image, up to 64 bytes. Only signed receipts state it. Default:
    /// empty, unknown.
    public var version = ""
    /// The lowest security counter that the device accepts. Only signed receipts state it.
    /// Default: 0.
    public var counter: UInt32 = 0

    /// The report of a device that does not know which image it runs.
    public static var unknown: RunningImage { RunningImage(state: .unknown, tag: 0) }

    /// The report of a device that runs an image and keeps it.
    ///
    /// - Parameter sha256: the SHA-256 of that image, 32 bytes.
    public static func confirmed(_ sha256: [UInt8]) -> RunningImage {
        RunningImage(.confirmed, sha256: sha256)
    }

    /// The report of a device that runs an image on trial. The device reverts to another image
    /// unless this one is confirmed.
    ///
    /// - Parameter sha256: the SHA-256 of the image on trial, 32 bytes.
    public static func onTrial(_ sha256: [UInt8]) -> RunningImage {
        RunningImage(.onTrial, sha256: sha256)
    }

    /// The report of a device that is about to run its current image.
    ///
    /// - Parameter sha256: the SHA-256 of the image that the device still runs, 32 bytes.
    public static func installing(_ sha256: [UInt8]) -> RunningImage {
        RunningImage(.installing, sha256: sha256)
    }

    /// The report of a device that could not install its current image.
    ///
    /// - Parameter sha256: the SHA-256 of the image that the device runs instead, 32 bytes.
    public static func failed(_ sha256: [UInt8]) -> RunningImage {
        RunningImage(.failed, sha256: sha256)
    }

    /// The state in one word: `unknown`, `confirmed`, `onTrial`, `installing` or `failed`.
    public var description: String { "\(state)" }

    /// - Parameter sha256: the SHA-256 of the running image, 32 bytes.
    package init(_ state: RunningState, sha256: [UInt8]) {
        self.init(state: state, tag: UInt64(receiptOf: sha256))
        self.sha256 = sha256
    }

    init(state: RunningState, tag: UInt64) {
        self.state = state
        self.tag = tag
    }

    var status: ReceiverControl.Status { .init(state: state, runningTag: tag) }
}

extension RunningImage: Hashable {
    /// Whether both reports are of the same image in the same state.
    public static func == (left: RunningImage, right: RunningImage) -> Bool {
        left.state == right.state && left.tag == right.tag
    }

    /// Hashes the state and the image.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(state)
        hasher.combine(tag)
    }
}

extension UInt64 {
    /// The first 8 bytes of an image's SHA-256 as a little-endian number, the form used in
    /// RESULT and STATUS.
    init(receiptOf sha256: [UInt8]) {
        precondition(sha256.count == 32)
        self = sha256.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
