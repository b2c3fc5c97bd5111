import CoreMetrics
import FleetGateway
import FleetMetrics
import FleetModel
import FleetText
import Synchronization

/// Counts what happens at a gateway.
final class GatewayMetrics: Sendable {
    private struct Push {
        let start: ContinuousClock.Instant
        /// What was durable when it was heard of last; `nil` before that.
        var storedByteCount: UInt64?
    }

    let registry: MetricsRegistry
    private let pushes = Mutex<[DeviceID: Push]>([:])

    init(_ registry: MetricsRegistry) {
        self.registry = registry
        registry.gauge(.program, "gateway", BleotaFleet.version.description).set(1)
        registry.gauge(.serverIsConnected).set(1)
        registry.gauge(.gatewayActivePushes).set(0)
        registry.counter(.gatewayStoredBytes).increment(by: 0)
        for kind in Failure.Kind.allCases {
            registry.counter(.gatewayFailures, kind.word).increment(by: 0)
        }
    }

    func count(_ event: GatewayEvent) {
        switch event {
        case .ready(let places): registry.gauge(.gatewayPlaces).set(Int64(places))
        case .nameInUse, .deviceIgnored, .airBack: break
        case .began(let device, _):
            change { $0[device] = Push(start: .now) }
        case .progressed(let device, let progress): count(progress, of: device)
        case .ended(let device, let outcome): count(outcome, of: device)
        case .engineAway: registry.gauge(.serverIsConnected).set(0)
        case .engineBack: registry.gauge(.serverIsConnected).set(1)
        case .airAway: registry.counter(.gatewayAdapterFailures).increment()
        case .orderIgnored: registry.counter(.gatewayIgnoredOrders).increment()
        }
    }

    private func change(_ body: (inout [DeviceID: Push]) -> Void) {
        let count = pushes.withLock { pushes in
            body(&pushes)
            return pushes.count
        }
        registry.gauge(.gatewayActivePushes).set(Int64(count))
    }

    /// What was durable before the push began, from an earlier one, isn't counted again.
    private func count(_ progress: PushProgress, of device: DeviceID) {
        let new = pushes.withLock { pushes -> UInt64 in
            guard var push = pushes[device] else { return 0 }
            let known = push.storedByteCount ?? progress.storedByteCount
            push.storedByteCount = progress.storedByteCount
            pushes[device] = push
            return progress.storedByteCount - min(known, progress.storedByteCount)
        }
        registry.counter(.gatewayStoredBytes).increment(by: Int64(clamping: new))
    }

    private func count(_ outcome: OrderBook.Outcome, of device: DeviceID) {
        var start: ContinuousClock.Instant?
        change { start = $0.removeValue(forKey: device)?.start }
        let word: String
        switch outcome {
        case .succeeded, .proved: word = "succeeded"
        case .stopped: word = "returned"
        case .failed(let why):
            word = "failed"
            registry.counter(.gatewayFailures, why.kind.word).increment()
        }
        guard let start else { return }
        let parts = start.duration(to: .now).components
        let nanoseconds = parts.seconds * 1_000_000_000 + parts.attoseconds / 1_000_000_000
        registry.timer(.gatewayPushSeconds, word).recordNanoseconds(nanoseconds)
    }
}
