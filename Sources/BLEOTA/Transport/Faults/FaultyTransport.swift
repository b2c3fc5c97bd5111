/// A link that does to the datagrams of this end what radios and stacks do, on purpose.
///
/// It wraps any transport. What this end receives is left alone; wrap the other end as well for
/// faults in both directions.
///
/// ```swift
/// let plan = FaultPlan(loss: Probability("2%")!, seed: 7)
/// let link = FaultyTransport(radio, plan: plan)
/// ```
package final class FaultyTransport<Base: Transport>: WindowedTransport {
    /// Those of the link below, less its order when the plan reorders.
    package let limits: TransportLimits

    private let line: FaultInjector

    /// Wraps `base`, whose only user this then is.
    ///
    /// - Parameter plan: a reorder distance below 1, or a negative cut, is a mistake and traps.
    package init(_ base: Base, plan: FaultPlan) {
        precondition(plan.reorderDistance > 0, "at least one datagram overtakes")
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

    /// What was done so far.
    package var counts: FaultCounts { line.counts }

    /// Sends one datagram as the plan has it, which may be not at all. A stall, and whatever is
    /// released because this datagram has overtaken it, are part of the call.
    package func send(
        _ datagram: [UInt8],
        on channel: Datagram.Channel,
        _ delivery: Datagram.Delivery
    ) async throws(TransportError) {
        try limits.check(datagram, on: channel)
        try await line.send(datagram, on: channel, delivery)
    }

    /// Sends what is held back, then waits as the link below does.
    package func flush() async throws(TransportError) {
        try await line.flush()
    }

    /// Passed on to the link below.
    package func acknowledged(byteCount: Int) {
        (line.base as? any WindowedTransport)?.acknowledged(byteCount: byteCount)
    }

    /// Receives from the link below; nothing that arrives is touched.
    package func receive() async throws(TransportError) -> [Datagram] {
        do throws(TransportError) {
            return try await line.base.receive()
        } catch {
            throw line.asToldHere(error)
        }
    }

    /// Ends the link. What is held back goes out first: the link below lives on for some
    /// milliseconds, and for half a second at most where its window is full.
    package func close(_ reason: CloseReason) {
        line.close(reason)
    }

    /// Why the link has ended, or `nil` while it is up; ``CloseReason/injected`` after a cut.
    package var closeReason: CloseReason? { line.closeReason }
}
