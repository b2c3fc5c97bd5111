/// A rule of the contract of ``/BLEOTA/Transport``.
public enum TransportRule: String, Sendable, Hashable, CaseIterable {
    /// Datagrams arrive complete, once, on the right channel and in the order of sending, while
    /// both ends send and receive at the same time.
    case delivery
    /// The smallest and the largest datagram arrive, on both channels.
    case sizes
    /// Empty and oversized datagrams are refused, and the link continues to work.
    case refusals
    /// `receive()` returns all datagrams that have arrived, and never an empty array.
    case batches
    /// While the peer receives nothing, `send` suspends or the link ends, so memory use stays
    /// bounded. A `send` that is cancelled in the meantime throws `cancelled`, and the link
    /// continues to work.
    case backPressure
    /// `flush()` returns when everything sent has arrived at the peer.
    case flush
    /// A cancelled `receive()` throws `cancelled` and loses nothing, and the link continues to
    /// work.
    case cancelledReceive
    /// In a task that is already cancelled, all calls throw `cancelled`, and nothing is sent.
    case cancelledTask
    /// Closing the link ends a pending `receive()` at both ends.
    case closeEndsReceive
    /// Closing the link ends a pending `send`.
    case closeEndsSend
    /// Each end reports the first reason for its closing, and only that one, to all callers.
    case reason
    /// Datagrams that arrived before the link was closed can still be received.
    case arrivedBeforeClose
    /// Two images can be pushed over one link, one after the other, and are stored.
    case transfers
}
