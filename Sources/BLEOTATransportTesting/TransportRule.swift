/// A rule in the contract of ``Transport``.
public enum TransportRule: String, Sendable, Hashable, CaseIterable {
    /// Datagrams arrive whole, once, on the channel and in the order in which they were sent, while
    /// both ends send and receive at the same time.
    case delivery
    /// The smallest and the largest datagram arrive, on both channels.
    case sizes
    /// Empty and too large datagrams are refused, and the link goes on.
    case refusals
    /// `receive()` returns all that is there, and never an empty array.
    case batches
    /// `send` suspends while the peer takes nothing, or the link ends; it does not fill the memory.
    /// A `send` that is cancelled meanwhile throws `cancelled`, and the link goes on.
    case backPressure
    /// `flush()` returns when what was sent is at the peer.
    case flush
    /// A `receive()` that is cancelled throws `cancelled`, loses nothing, and the link goes on.
    case cancelledReceive
    /// In a task that is cancelled already, everything throws `cancelled`, and nothing is sent.
    case cancelledTask
    /// A close ends the `receive()` that waits, at both ends.
    case closeEndsReceive
    /// A close ends the `send` that waits.
    case closeEndsSend
    /// Each end has one reason for its end, the first, and gives it to everybody.
    case reason
    /// What had arrived before a close can still be received.
    case arrivedBeforeClose
    /// Two images are pushed over one link, one after the other, and stored.
    case transfers
}
