import BLEOTACore

/// A transfer that can resume over another link.
protocol ReconnectingRun {
    /// The furthest position that was ever durable, over all links; `nil` while it is unknown. Only
    /// a position past it is progress. If retransmitted bytes counted as progress, a link that is
    /// lost again and again would be re-established forever.
    var furthestDurable: TransferPosition? { get }
    /// The number of links established after the first.
    var reconnectionCount: Int { get set }

    /// Runs the transfer over one link, until it is complete or the link can't be used any longer.
    mutating func once(
        over link: any Transport
    ) async throws(TransferError) -> TransferReport

    /// Notes that a link was established.
    func connected(over link: any Transport)

    /// Notes that the link was lost and that a new one is being established.
    func reconnecting(after error: TransferError)
}

extension ReconnectingRun {
    func connected(over _: any Transport) {}
    func reconnecting(after _: TransferError) {}
}
