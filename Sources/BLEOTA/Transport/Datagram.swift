/// One datagram as it arrived.
public struct Datagram: Sendable, Hashable {
    /// The channel it was sent on.
    public let channel: Channel
    /// Its bytes, never empty.
    public let bytes: [UInt8]

    /// Makes a datagram; transports and tests do.
    public init(channel: Channel, bytes: [UInt8]) {
        self.channel = channel
        self.bytes = bytes
    }
}
