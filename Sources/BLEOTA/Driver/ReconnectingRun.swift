/// A transfer that can go on over another link.
protocol ReconnectingRun {
    /// How much is known to be durable at the receiver.
    var durableByteCount: Int { get }
    /// How often another link was made.
    var reconnectionCount: Int { get set }

    /// Runs it over one link, until it is done or the link is of no more use.
    mutating func once(
        over link: any Transport
    ) async throws(TransferError) -> TransferReport
}
