/// One message of the protocol as a transport carries it: never empty, never split or merged.
public struct Datagram: Sendable, Hashable, CustomStringConvertible {
    /// The two channels that a link carries. The transport maps each channel to a GATT
    /// characteristic, depending on its role (spec/bleota.md, section 10).
    public enum Channel: UInt8, Sendable, Hashable, CaseIterable {
        /// Control frames, replies and acknowledgements, in order.
        case control = 1
        /// Data frames and echo probes.
        case data = 2
    }

    /// How a datagram is handed to the peer's stack, and which event makes `send` return.
    public enum Delivery: UInt8, Sendable, Hashable, CaseIterable {
        /// An ATT Write Command or a notification, which may be lost or reordered. `send`
        /// returns immediately unless the transmit window is full.
        case withoutResponse = 0
        /// An ATT Write Request or an indication. `send` returns when the peer's stack has
        /// responded.
        case withResponse = 1
    }

    /// The channel on which the datagram was sent.
    public let channel: Channel
    /// The content, from one byte to the limit of ``TransportLimits`` for the channel.
    public let bytes: [UInt8]

    /// Creates a datagram; a transport calls this for incoming data.
    public init(channel: Channel, bytes: [UInt8]) {
        self.channel = channel
        self.bytes = bytes
    }

    /// The channel and the length, such as `data, 244 bytes`.
    public var description: String { "\(channel), \(bytes.count) bytes" }
}
