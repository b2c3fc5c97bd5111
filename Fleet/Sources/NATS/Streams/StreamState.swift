/// What is in a stream at a moment.
package struct StreamState: Sendable, Hashable {
    /// The number of stored messages.
    package let messageCount: UInt64
    /// The bytes that they take in the store.
    package let byteCount: UInt64
    /// The first message that is stored; 0 if there never was one.
    package let firstSequence: UInt64
    /// The last message that was ever stored; 0 if there never was one.
    package let lastSequence: UInt64
    /// The number of durable and other consumers.
    package let consumerCount: Int64
    /// The servers that keep the stream, as the one that leads sees them; empty if the server is in
    /// no cluster.
    package let keepers: [StreamKeeper]

    /// Whether most of the servers that keep the stream hear of one another. Otherwise the others
    /// still tell what they have, but nothing can be written.
    package var hasMajority: Bool {
        keepers.isEmpty
            || keepers.contains { $0.state == .leads }
                && keepers.count { $0.isCurrent } * 2 > keepers.count
    }
}
