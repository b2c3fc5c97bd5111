import BLEOTACore

/// A link that reports every datagram that crosses it, and changes none.
///
/// ```swift
/// let link = TracingTransport(radio) { record in print(record.line) }
/// ```
package final class TracingTransport<Base: Transport>: WindowedTransport {
    private let base: Base
    private let start: ContinuousClock.Instant
    private let record: @Sendable (TraceRecord) -> Void

    /// Wraps `base`, which nothing else may use from then on.
    ///
    /// - Parameters:
    ///   - start: the instant from which offsets are counted. Default: now.
    ///   - record: called once for each datagram, by the task that sends or receives, which
    ///     waits until `record` returns. A datagram is reported before it is passed to the link, so
    ///     a reply is never reported before its request. The datagram is reported even if sending
    ///     it fails.
    package init(
        _ base: Base,
        start: ContinuousClock.Instant = .now,
        record: @escaping @Sendable (TraceRecord) -> Void
    ) {
        self.base = base
        self.start = start
        self.record = record
    }

    /// The limits of the wrapped link.
    package var limits: TransportLimits { base.limits }

    /// Reports the datagram and sends it. A datagram that exceeds the limits is not reported.
    package func send(
        _ datagram: [UInt8],
        on channel: Datagram.Channel,
        _ delivery: Datagram.Delivery
    ) async throws(TransportError) {
        try limits.check(datagram, on: channel)
        record(
            TraceRecord(
                offset: .now - start,
                direction: .out,
                channel: channel,
                delivery: delivery,
                bytes: datagram
            )
        )
        try await base.send(datagram, on: channel, delivery)
    }

    /// Flushes the wrapped link.
    package func flush() async throws(TransportError) {
        try await base.flush()
    }

    /// Informs the wrapped link that the peer has received `byteCount` bytes, if that link is a
    /// ``WindowedTransport``.
    package func acknowledged(byteCount: Int) {
        (base as? any WindowedTransport)?.acknowledged(byteCount: byteCount)
    }

    /// Receives from the wrapped link, and reports each datagram.
    package func receive() async throws(TransportError) -> [Datagram] {
        let datagrams = try await base.receive()
        let offset = ContinuousClock.now - start
        for datagram in datagrams {
            record(
                TraceRecord(
                    offset: offset,
                    direction: .in,
                    channel: datagram.channel,
                    bytes: datagram.bytes
                )
            )
        }
        return datagrams
    }

    /// Closes the wrapped link.
    package func close(_ reason: CloseReason) {
        base.close(reason)
    }

    /// Why the wrapped link has ended, or `nil` while it is up.
    package var closeReason: CloseReason? { base.closeReason }
}
