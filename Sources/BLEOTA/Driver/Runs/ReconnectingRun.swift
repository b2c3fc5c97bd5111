import BLEOTACore

/// A transfer that can go on over another link.
protocol ReconnectingRun {
    /// The furthest position that was ever durable, over any link; `nil` while nothing is known.
    /// Only a position past it is progress. If bytes that have to be sent again were progress, a
    /// link that is lost again and again would be made again for ever.
    var furthestDurable: TransferPosition? { get }
    /// How often another link was made.
    var reconnectionCount: Int { get set }

    /// Runs it over one link, until it is done or the link is of no more use.
    mutating func once(
        over link: any Transport
    ) async throws(TransferError) -> TransferReport

    /// Notes that there is a link.
    func connected(over link: any Transport)

    /// Notes that the link was lost, and that another is made.
    func reconnecting(after error: TransferError)
}

extension ReconnectingRun {
    func connected(over _: any Transport) {}
    func reconnecting(after _: TransferError) {}
}
