import BLEOTACore

/// A link that tells about every datagram that crosses it, and changes nothing.
///
/// ```swift
/// let link = TracingTransport(radio) { record in print(record.line) }
/// ```
package final class TracingTransport<Base: Transport>: WindowedTransport {
    private let base: Base
    private let start: ContinuousClock.Instant
    private let record: @Sendable (TraceRecord) -> Void

    /// Wraps `base`, whose only user this then is.
    ///
    /// - Parameters:
    ///   - start: the instant that offsets count from; now by default.
    ///   - record: called once for each datagram, from the task that sends or receives, which
    ///     waits for it. A datagram is told before the link gets it, so that an answer never
    ///     comes before its question; a send that then fails was told all the same.
    package init(
        _ base: Base,
        start: ContinuousClock.Instant = .now,
        record: @escaping @Sendable (TraceRecord) -> Void
    ) {
        self.base = base
        self.start = start
        self.record = record
    }

    /// Those of the link below.
    package var limits: TransportLimits { base.limits }

    /// Tells of the datagram and sends it. One that can't be sent at all is not told of.
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

    /// Passed on to the link below.
    package func flush() async throws(TransportError) {
        try await base.flush()
    }

    /// Passed on to the link below.
    package func acknowledged(byteCount: Int) {
        (base as? any WindowedTransport)?.acknowledged(byteCount: byteCount)
    }

    /// Receives from the link below and tells of each datagram.
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

    /// Passed on to the link below.
    package func close(_ reason: CloseReason) {
        base.close(reason)
    }

    /// That of the link below.
    package var closeReason: CloseReason? { base.closeReason }
}
