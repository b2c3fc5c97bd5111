import FleetControl
import FleetModel
import FleetStore
import FleetTestSupport
import NATS
import Synchronization

/// A server with a fleet, and controllers that are 50 times as fast as real ones.
final class Site: Sendable {
    static let pace = Pace(dividedBy: 50)

    let server: TestServer
    let store: FleetStore
    /// A gateway lives as long as the site, also if a test doesn't mention it again.
    private let gateways = Mutex<[FakeGateway]>([])

    init() async throws {
        server = try await TestServer()
        store = try await FleetStore.create(on: try await server.connect(), replicas: .one)
    }

    func gateway(
        _ id: GatewayID,
        places: UInt8 = 8,
        answer: @escaping @Sendable (DeviceID, Order) -> Report.News?
    ) -> FakeGateway {
        let gateway = FakeGateway(id, store: store, places: places, answer: answer)
        gateways.withLock { $0.append(gateway) }
        return gateway
    }

    func controller(_ name: String, pace: Pace = pace) async throws -> RunningController {
        let store = try await FleetStore.open(on: try await server.connect())
        return RunningController(ControllerID(name)!, store, pace)
    }

    /// Begins a campaign when that many devices have records.
    func start(_ plan: CampaignPlan, devices: Int) async throws {
        try await eventually("\(devices) records") { try await self.records().count == devices }
        var campaign = Campaign(plan)
        campaign.handle(.start(DeviceCount(devices)!))
        try await store.campaigns.create(plan.id, campaign)
    }

    func phase(_ id: CampaignID = Sample.spring) async throws -> CampaignPhase {
        try await store.campaigns.get(id).value.phase
    }

    func awaitPhase(_ phase: CampaignPhase, _ id: CampaignID = Sample.spring) async throws {
        try await eventually("\(id) is \(phase)") { try await self.phase(id) == phase }
    }

    func record(_ device: DeviceID) async throws -> DeviceRecord {
        try await store.devices.get(device).value
    }

    func records() async throws -> [DeviceRecord] {
        var records: [DeviceID: DeviceRecord] = [:]
        for try await change in try await store.devices.watch() {
            if case .value(let entry) = change { records[entry.name] = entry.value }
            if case .caughtUp = change { break }
        }
        return Array(records.values)
    }

    func enrol(_ key: DeviceKey, of device: DeviceID) async throws {
        try await store.keys.put(device, key)
    }

    /// Waits until so many records have keys.
    func awaitKeys(_ count: Int) async throws {
        try await eventually("\(count) keys") {
            try await self.records().count { $0.key != nil } == count
        }
    }

    /// The number of lies that were written down.
    func auditCount() async throws -> Int {
        Int(try await store.connection.state(of: AuditLog.stream).messageCount)
    }

    func orderCount() async throws -> Int {
        let bucket = try await store.connection.bucket(FleetStore.Part.orders.bucket)
        return try await bucket.keys().count
    }
}

/// A controller beside a test, which ends with it.
final class RunningController: Sendable {
    private let task: Task<ControllerError?, Never>
    private let log: Log

    final class Log: Sendable {
        let state = Mutex<[ControllerEvent]>([])
    }

    init(_ id: ControllerID, _ store: FleetStore, _ pace: Pace) {
        let log = Log()
        self.log = log
        let controller = Controller(id, store: store, pace: pace) { event in
            log.state.withLock { $0.append(event) }
        }
        task = Task {
            do throws(ControllerError) {
                try await controller.run()
                return nil
            } catch {
                return error
            }
        }
    }

    deinit { task.cancel() }

    var events: [ControllerEvent] { log.state.withLock { $0 } }

    /// The outcomes of jobs that it has written.
    var outcomes: [DeviceID] {
        events.compactMap { event in
            guard case .wrote(let record, _) = event, record.job?.outcome != nil else { return nil }
            return record.id
        }
    }

    func awaitActive() async throws {
        try await eventually("a controller is active") { self.events.contains(.active) }
    }

    /// Ends it, and returns why it failed before.
    func end() async -> ControllerError? {
        task.cancel()
        return await task.value
    }
}
