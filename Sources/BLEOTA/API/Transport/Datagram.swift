/// One message of the protocol, as a transport carries it: never empty, never split or joined.
public struct Datagram: Sendable, Hashable, CustomStringConvertible {
    /// The two streams of datagrams that a link carries. Which GATT characteristic serves one
    /// depends on the role of this end and is the transport's business (spec/bleota.md, section 9).
    public enum Channel: UInt8, Sendable, Hashable, CaseIterable {
        /// Control frames, replies and acknowledgements, in one order.
        case control = 1
        /// Data frames and echo probes.
        case data = 2
    }

    /// How a datagram is handed to the peer's stack, and what the return of `send` then means.
    public enum Delivery: UInt8, Sendable, Hashable, CaseIterable {
        /// ATT Write Command or notification: may be dropped or overtaken; `send` returns at once
        /// unless the transmit window is full.
        case withoutResponse = 0
        /// ATT Write Request or indication: `send` returns when the peer's stack has answered.
        case withResponse = 1
    }

    /// The channel it was sent on.
    public let channel: Channel
    /// Its bytes, at least one, and at most what ``TransportLimits`` allows on the channel.
    public let bytes: [UInt8]

    /// Makes a datagram, as a transport does of what arrived.
    public init(channel: Channel, bytes: [UInt8]) {
        self.channel = channel
        self.bytes = bytes
    }

    /// The channel and the length: `data, 244 bytes`.
    public var description: String { "\(channel), \(bytes.count) bytes" }
}
