/// What a ``FaultyTransport`` has done so far, in datagrams.
package struct FaultCounts: Sendable, Hashable {
    /// Handed to `send`, whatever became of them.
    package internal(set) var sent = 0
    /// Dropped, those included that were held back when the link was cut.
    package internal(set) var lost = 0
    /// Sent twice.
    package internal(set) var duplicated = 0
    /// Held back so that others could overtake.
    package internal(set) var heldBack = 0
    /// Sent with flipped bits.
    package internal(set) var corrupted = 0
    /// Sent without their end.
    package internal(set) var truncated = 0
    /// Sent after the link stood still.
    package internal(set) var stalled = 0
    /// 1 once the link was cut.
    package internal(set) var cut = 0

    /// Nothing done.
    package init() {}
}
