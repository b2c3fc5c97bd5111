package import BLEOTACore

/// A transfer that can resume over another link.
package protocol ReconnectingRun {
    /// A link of the transfer.
    associatedtype Link
    /// The furthest position that has ever been durable, over all links; `nil` while it is
    /// unknown. Only a position past it is progress. If retransmitted bytes counted as progress,
    /// a link that is lost again and again would be re-established forever.
    var furthestDurable: TransferPosition? { get }
    /// The number of links established after the first.
    var reconnectionCount: Int { get set }

    /// How long to try to establish the next link; `nil` for the usual time. A device that restarts
    /// may need minutes.
    var nextLinkLimit: Duration? { get }

    /// Runs the transfer over one link, until it is complete or the link can't be used any longer.
    mutating func once(over link: Link) async throws(TransferError) -> TransferReport

    /// Notes that a link was established.
    func connected(over link: Link)

    /// Closes a link that the transfer no longer needs.
    func close(_ link: Link)

    /// Notes that the link was lost and that a new one is being established.
    func reconnecting(after error: TransferError)
}

extension ReconnectingRun where Link == any Transport {
    func close(_ link: any Transport) { link.close(.local) }
}

extension ReconnectingRun {
    package var nextLinkLimit: Duration? { nil }
    package func connected(over _: Link) {}
    package func reconnecting(after _: TransferError) {}
}
