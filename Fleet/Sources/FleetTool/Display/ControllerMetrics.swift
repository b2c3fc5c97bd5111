import CoreMetrics
import FleetControl
import FleetMetrics
import FleetModel
import FleetText

/// Counts what a controller does.
struct ControllerMetrics: Sendable {
    let registry: MetricsRegistry

    init(_ registry: MetricsRegistry) {
        self.registry = registry
        registry.gauge(.program, "controller", BleotaFleet.version.description).set(1)
        registry.gauge(.serverIsConnected).set(1)
        registry.gauge(.controllerIsActive).set(0)
        for metric in [FleetMetric.controllerLoans, .controllerFalseClaims] {
            registry.counter(metric).increment(by: 0)
        }
        for outcome in ["succeeded", "failed"] {
            registry.counter(.controllerOutcomes, outcome).increment(by: 0)
        }
    }

    func count(_ event: ControllerEvent) {
        switch event {
        case .waiting, .replaced: registry.gauge(.controllerIsActive).set(0)
        case .active: registry.gauge(.controllerIsActive).set(1)
        case .advanced(let campaign):
            registry.counter(.controllerPhases, campaign.phase.word).increment()
        case .wrote(let record, let old): count(record, after: old)
        case .lied: registry.counter(.controllerFalseClaims).increment()
        case .ready: break
        case .engineAway: registry.gauge(.serverIsConnected).set(0)
        case .engineBack: registry.gauge(.serverIsConnected).set(1)
        case .ignored: registry.counter(.controllerUnreadableValues).increment()
        }
    }

    private func count(_ record: DeviceRecord, after old: DeviceRecord?) {
        if let lease = record.lease, lease != old?.lease {
            registry.counter(.controllerLoans).increment()
        }
        switch record.newOutcome(after: old) {
        case .succeeded: registry.counter(.controllerOutcomes, "succeeded").increment()
        case .failed: registry.counter(.controllerOutcomes, "failed").increment()
        case .waiting, nil: break
        }
    }
}
