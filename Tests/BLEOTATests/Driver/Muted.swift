@testable import BLEOTA

/// A link that takes data frames and carries none; control frames pass.
final class Muted: Transport {
    private let base: any Transport

    init(_ base: any Transport) { self.base = base }

    var limits: TransportLimits { base.limits }

    func send(
        _ datagram: [UInt8],
        on channel: Datagram.Channel,
        _ delivery: Datagram.Delivery
    ) async throws(TransportError) {
        if channel == .control { try await base.send(datagram, on: channel, delivery) }
    }

    func flush() async throws(TransportError) { try await base.flush() }

    func receive() async throws(TransportError) -> [Datagram] { try await base.receive() }

    func close(_ reason: CloseReason) { base.close(reason) }

    var closeReason: CloseReason? { base.closeReason }
}
