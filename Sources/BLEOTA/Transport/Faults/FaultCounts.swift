/// What a ``FaultyTransport`` has done so far, in datagrams.
public struct FaultCounts: Sendable, Hashable {
    /// Handed to `send`, whatever became of them.
    public internal(set) var sent = 0
    /// Dropped, those included that were held back when the link was cut.
    public internal(set) var lost = 0
    /// Sent twice.
    public internal(set) var duplicated = 0
    /// Held back so that others could overtake.
    public internal(set) var heldBack = 0
    /// Sent with flipped bits.
    public internal(set) var corrupted = 0
    /// Sent without their end.
    public internal(set) var truncated = 0
    /// Sent after the link stood still.
    public internal(set) var stalled = 0
    /// 1 once the link was cut.
    public internal(set) var cut = 0

    /// Nothing done.
    public init() {}
}
