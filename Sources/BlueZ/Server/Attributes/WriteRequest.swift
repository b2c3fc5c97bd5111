public import DBus

/// A peer's write to a value of ours.
public struct WriteRequest: Sendable, Hashable {
    /// How the peer wrote.
    public enum Kind: String, Sendable, Hashable {
        /// Without response.
        case command
        /// With response.
        case request
        /// As one of several that count together.
        case reliable
    }

    /// What is written, at most 512 bytes together with the offset.
    public let value: [UInt8]
    /// The daemon's object for the peer, `/org/bluez/hci0/dev_…`; `nil` if it does not say.
    public let device: ObjectPath?
    /// At which byte of the value this begins: a long value comes in parts.
    public let offset: Int
    /// The MTU of the link in bytes, if the daemon says it.
    public let mtu: Int?
    /// The kind of the link, such as `LE`, if the daemon says it.
    public let link: String?
    /// How the peer wrote, if the daemon says it; 5.66 does not.
    public let kind: Kind?
    /// Whether the daemon waits for our answer.
    public let wantsAnswer: Bool
    /// Whether this only asks if the peer may write, before a long write: nothing is to be
    /// written yet. A ``LocalWriting/stream(_:)`` handler does not get these.
    public let isOnlyQuestion: Bool

    /// What the daemon gives with a write.
    init(_ value: [UInt8], _ options: [String: BusValue], wantsAnswer: Bool) {
        self.value = value
        self.wantsAnswer = wantsAnswer
        device = options["device"]?.objectPath
        offset = options["offset"]?.integer ?? 0
        mtu = options["mtu"]?.integer
        link = options["link"]?.text
        kind = options["type"]?.text.flatMap { Kind(rawValue: $0) }
        isOnlyQuestion = options["prepare-authorize"]?.flag ?? false
    }

    /// What comes over a socket, where the daemon says nothing with a write.
    init(command value: [UInt8], mtu: Int?) {
        self.value = value
        self.mtu = mtu
        device = nil
        offset = 0
        link = nil
        kind = .command
        wantsAnswer = false
        isOnlyQuestion = false
    }

    /// Whether it stays within the longest value.
    var fits: Bool {
        (0...LocalReading.byteCountMax).contains(offset)
            && offset + value.count <= LocalReading.byteCountMax
    }
}
