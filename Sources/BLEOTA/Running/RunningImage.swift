public import BLEOTACore

/// What a device runs, as it says itself (spec/bleota.md, section 7.1).
public struct RunningImage: Hashable, Sendable {
    /// What it says of it.
    public var state: RunningState
    /// The first 8 bytes of the SHA-256 of the image that runs, as a little-endian number; 0 where
    /// that is not known.
    public var tag: UInt64

    /// A device that does not know.
    public static var unknown: RunningImage { RunningImage(state: .unknown, tag: 0) }

    /// - Parameter sha256: of the image that runs, 32 bytes.
    public init(_ state: RunningState, sha256: [UInt8]) {
        self.init(state: state, tag: UInt64(receiptOf: sha256))
    }

    init(state: RunningState, tag: UInt64) {
        self.state = state
        self.tag = tag
    }

    var status: ReceiverControl.Status { .init(state: state, runningTag: tag) }
}

extension UInt64 {
    /// The first 8 bytes of an image's SHA-256 as a little-endian number, as RESULT and STATUS
    /// carry them.
    init(receiptOf sha256: [UInt8]) {
        precondition(sha256.count == 32)
        self = sha256.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
