import BLEOTACore
import Synchronization

@testable import BLEOTA

/// A link that takes 3 ms for each data frame, and knows the pauses between them.
final class Unhurried: Transport {
    private let base: any Transport
    private let clock = MonotonicClock()
    private let handedOver = Mutex<(last: Instant?, pauses: [Microseconds])>((nil, []))

    init(_ base: any Transport) { self.base = base }

    /// Of each data frame, how long after the one before was handed over it came.
    var pauses: [Microseconds] { handedOver.withLock { $0.pauses } }

    var limits: TransportLimits { base.limits }

    func send(
        _ datagram: [UInt8],
        on channel: Datagram.Channel,
        _ delivery: Datagram.Delivery
    ) async throws(TransportError) {
        guard channel == .data else {
            return try await base.send(datagram, on: channel, delivery)
        }
        let now = clock.now
        handedOver.withLock { $0.pauses.append(now - ($0.last ?? now)) }
        try? await Task.sleep(for: .milliseconds(3))
        try await base.send(datagram, on: channel, delivery)
        let end = clock.now
        handedOver.withLock { $0.last = end }
    }

    func flush() async throws(TransportError) { try await base.flush() }

    func receive() async throws(TransportError) -> [Datagram] { try await base.receive() }

    func close(_ reason: CloseReason) { base.close(reason) }

    var closeReason: CloseReason? { base.closeReason }
}
