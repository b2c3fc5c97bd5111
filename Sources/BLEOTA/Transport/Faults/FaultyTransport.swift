/// A link that deliberately subjects the datagrams of this end to the faults of radios and
/// Bluetooth stacks.
///
/// The link wraps any transport. Datagrams that this end receives are not changed. For faults in
/// both directions, wrap the peer's end too.
///
/// ```swift
/// let plan = FaultPlan(loss: Probability("2%")!, seed: 7)
/// let link = FaultyTransport(radio, plan: plan)
/// ```
package final class FaultyTransport<Base: Transport>: WindowedTransport {
    /// The limits of the wrapped link, but unordered if the plan reorders datagrams.
    package let limits: TransportLimits

    private let line: FaultInjector

    /// Wraps `base`, which nothing else may use from then on.
    ///
    /// - Parameter plan: the faults. A reorder distance below 1, or a negative number of
    ///   datagrams before the cut, traps.
    package init(_ base: Base, plan: FaultPlan) {
        precondition(plan.reorderDistance > 0, "a reorder distance is at least 1")
        precondition(plan.cutAfterDatagrams ?? 0 >= 0, "a count is not negative")
        limits = TransportLimits(
            attMTU: base.limits.attMTU,
            controlByteCountMax: base.limits.controlByteCountMax,
            dataByteCountMax: base.limits.dataByteCountMax,
            isOrdered: base.limits.isOrdered && plan.reordering == .never,
            takesDataWithResponse: base.limits.takesDataWithResponse,
            unreadCountMax: base.limits.unreadCountMax
        )
        line = FaultInjector(base, plan)
    }

    /// The faults caused so far.
    package var counts: FaultCounts { line.counts }

    /// Sends one datagram according to the plan, which may drop it. The call also waits for any
    /// stall to end, and sends each held datagram that enough others have now overtaken.
    package func send(
        _ datagram: [UInt8],
        on channel: Datagram.Channel,
        _ delivery: Datagram.Delivery
    ) async throws(TransportError) {
        try limits.check(datagram, on: channel)
        try await line.send(datagram, on: channel, delivery)
    }

    /// Sends all held datagrams, then flushes the wrapped link.
    package func flush() async throws(TransportError) {
        try await line.flush()
    }

    /// Informs the wrapped link that the peer has received `byteCount` bytes, if that link is a
    /// ``WindowedTransport``.
    package func acknowledged(byteCount: Int) {
        (line.base as? any WindowedTransport)?.acknowledged(byteCount: byteCount)
    }

    /// Receives from the wrapped link. Arriving datagrams are not changed.
    package func receive() async throws(TransportError) -> [Datagram] {
        do throws(TransportError) {
            return try await line.base.receive()
        } catch {
            throw line.asToldHere(error)
        }
    }

    /// Ends the link. Held datagrams are sent first, so the wrapped link stays open for several
    /// milliseconds, or for up to half a second if its window is full.
    package func close(_ reason: CloseReason) {
        line.close(reason)
    }

    /// Why the link has ended; `nil` while it is up, ``CloseReason/injected`` after a cut.
    package var closeReason: CloseReason? { line.closeReason }
}
