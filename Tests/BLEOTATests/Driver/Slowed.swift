@testable import BLEOTA

/// A link that pauses after every 16 data frames it sends.
final class Slowed: Transport {
    private let base: any Transport
    private let count = Tally()

    init(_ base: any Transport) { self.base = base }

    var limits: TransportLimits { base.limits }

    func send(
        _ datagram: [UInt8],
        on channel: Datagram.Channel,
        _ delivery: Datagram.Delivery
    ) async throws(TransportError) {
        try await base.send(datagram, on: channel, delivery)
        guard channel == .data else { return }
        await count.add()
        if await count.count.isMultiple(of: 16) { try? await Task.sleep(for: .milliseconds(4)) }
    }

    func flush() async throws(TransportError) { try await base.flush() }

    func receive() async throws(TransportError) -> [Datagram] { try await base.receive() }

    func close(_ reason: CloseReason) { base.close(reason) }

    var closeReason: CloseReason? { base.closeReason }
}
