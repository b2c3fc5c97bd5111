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
}
