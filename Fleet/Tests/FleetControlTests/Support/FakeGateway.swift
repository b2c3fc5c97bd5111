import FleetControl
import FleetModel
import FleetStore
import FleetTestSupport
import NATS
import Synchronization

/// A gateway that hears what it is told, pushes nothing, and reports what the test wants.
final class FakeGateway: Sendable {
    let id: GatewayID
    private let store: FleetStore
    private let state = Mutex<[(device: DeviceID, order: Order)]>([])
    private let tasks = Mutex<[Task<Void, Never>]>([])

    /// Every order that it has seen, in that order.
    var orders: [(device: DeviceID, order: Order)] { state.withLock { $0 } }

    /// Begins to say that it is there, and to answer orders.
    ///
    /// - Parameter answer: what it reports; `nil` for nothing.
    init(
        _ id: GatewayID,
        store: FleetStore,
        places: UInt8 = 8,
        answer: @escaping @Sendable (DeviceID, Order) -> Report.News?
    ) {
        self.id = id
        self.store = store
        let beats = Task { [id] in
            var beat: UInt64 = 0
            while !Task.isCancelled {
                beat += 1
                _ = try? await store.gateways.put(id, Self.status(places, beat))
                try? await Task.sleep(for: .milliseconds(100))
            }
        }
        let watching = Task { [weak self, id] in
            guard let watch = try? await store.orders.watch(DeviceAtGateway.all(of: id)) else {
                return
            }
            do {
                for try await change in watch {
                    guard case .value(let entry) = change else { continue }
                    let (device, order) = (entry.name.device, entry.value)
                    self?.state.withLock { $0.append((device, order)) }
                    guard let news = answer(device, order) else { continue }
                    let report = Report(campaign: order.campaign, turn: order.turn, news)
                    // It is lost if the server is away; the next turn is answered.
                    _ = try? await store.reports.put(entry.name, report)
                }
            } catch {}
        }
        tasks.withLock { $0 = [beats, watching] }
    }

    deinit { die() }

    /// Falls silent, as one whose power is cut.
    func die() { tasks.withLock { for task in $0 { task.cancel() } } }

    func hear(
        _ devices: [DeviceID],
        strength: Int = -60,
        version: FirmwareVersion = Sample.old
    ) async throws {
        for device in devices {
            let sighting = Sighting(
                hardware: Sample.lamp,
                version: version,
                strength: Strength(dBm: strength)!,
                at: Moment(milliseconds: 0)!
            )
            try await store.sightings.put(DeviceAtGateway(device, at: id), sighting)
        }
    }

    func report(_ device: DeviceID, turn: Turn, _ news: Report.News) async throws {
        let report = Report(campaign: Sample.spring, turn: turn, news)
        try await store.reports.put(DeviceAtGateway(device, at: id), report)
    }

    private static func status(_ places: UInt8, _ beat: UInt64) -> GatewayStatus {
        GatewayStatus(
            places: places,
            program: FirmwareVersion(0, 1, 0),
            beat: beat,
            at: Moment(milliseconds: 0)!
        )!
    }
}
