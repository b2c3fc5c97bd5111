public import DBus

/// A peer's request to write a local value.
public struct WriteRequest: Sendable, Hashable {
    /// The kind of write.
    public enum Kind: String, Sendable, Hashable {
        /// A write without response.
        case command
        /// A write with response.
        case request
        /// A part of a reliable write, whose parts take effect together.
        case reliable
    }

    /// The bytes to write; their offset and count add up to at most 512.
    public let value: [UInt8]
    /// The path of the peer's object, `/org/bluez/hci0/dev_…`; `nil` if the daemon does not
    /// report it.
    public let device: ObjectPath?
    /// The index of the first byte to write; a long value arrives in parts.
    public let offset: Int
    /// The link's MTU in bytes; `nil` if the daemon does not report it.
    public let mtu: Int?
    /// The type of the link, such as `LE`; `nil` if the daemon does not report it.
    public let link: String?
    /// The kind of write; `nil` if the daemon does not report it, as in BlueZ 5.66.
    public let kind: Kind?
    /// Whether the daemon waits for a reply.
    public let wantsAnswer: Bool
    /// Whether the daemon only asks for authorization before a long write. If so, the value must
    /// not be changed yet. Only ``LocalWriting/answered(_:)`` handlers get such requests.
    public let isOnlyQuestion: Bool

    /// Parses the arguments of the daemon's method call.
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

    /// Creates a request from a socket's message, which comes without options.
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

    /// Whether the write stays within the maximum length of a value.
    var fits: Bool {
        (0...LocalReading.byteCountMax).contains(offset)
            && offset + value.count <= LocalReading.byteCountMax
    }
}
