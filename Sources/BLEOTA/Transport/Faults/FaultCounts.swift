/// The faults that a ``FaultyTransport`` has caused so far, counted in datagrams.
package struct FaultCounts: Sendable, Hashable {
    /// Datagrams passed to `send`, whether or not they were sent.
    package internal(set) var sent = 0
    /// Datagrams dropped, including those that were held back when the link was cut.
    package internal(set) var lost = 0
    /// Datagrams sent twice.
    package internal(set) var duplicated = 0
    /// Datagrams held back so that others could overtake them.
    package internal(set) var heldBack = 0
    /// Datagrams sent with flipped bits.
    package internal(set) var corrupted = 0
    /// Datagrams sent without their last bytes.
    package internal(set) var truncated = 0
    /// Datagrams before which the link stalled.
    package internal(set) var stalled = 0
    /// 1 if the link was cut, otherwise 0.
    package internal(set) var cut = 0

    /// Creates counts of zero.
    package init() {}
}
