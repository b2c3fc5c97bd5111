import FleetModel
import FleetStore
import FleetTestSupport
import NATS

/// Many gateways in one process, each with its own names in the store. They share connections,
/// which gateways don't.
struct GatewaysRole: Sendable {
    /// The gateways that it speaks for.
    let numbers: Range<Int>
    /// How long each push takes.
    let hold: Duration
    let sightingsPerSecond: Int
    let deviceCount: Int

    func run(at server: ServerAddress) async throws {
        let options = ConnectionOptions(servers: [server])
        let store = try await FleetStore.open(on: try await NATSConnection.open(options))
        let heard = try await FleetStore.open(on: try await NATSConnection.open(options))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await beat(heard) }
            group.addTask { try await hear(heard) }
            group.addTask { try await answer(store) }
            try await group.waitForAll()
        }
    }

    private func beat(_ store: FleetStore) async throws {
        var beat: UInt64 = UInt64.random(in: 0..<1 << 32)
        while true {
            for number in numbers {
                beat += 1
                let status = GatewayStatus(
                    places: Sample.places,
                    program: Sample.old,
                    beat: beat,
                    at: SystemTime.moment
                )
                try await store.gateways.put(Sample.gateway(number), status!)
            }
            FleetBenchmark.say("beat")
            try await Task.sleep(for: .seconds(15))
        }
    }

    /// Says again that devices are heard.
    private func hear(_ store: FleetStore) async throws {
        let pause = Duration.milliseconds(100)
        while sightingsPerSecond > 0 {
            for _ in 0..<max(1, sightingsPerSecond / 10) {
                let number = Int.random(in: 0..<deviceCount)
                for (gateway, dBm) in Sample.gateways(of: number) {
                    let name = DeviceAtGateway(Sample.device(number), at: gateway)
                    let subject = Subject("$KV.\(FleetStore.Part.sightings.bucket).\(name.key)")!
                    let sighting = Sample.sighting(dBm: dBm)
                    try await store.connection.publish(sighting.bytes, to: subject)
                }
            }
            try await Task.sleep(for: pause)
        }
    }

    private func answer(_ store: FleetStore) async throws {
        let own = Set(numbers.map(Sample.gateway))
        try await withThrowingDiscardingTaskGroup { group in
            for try await change in try await store.orders.watch() {
                guard case .value(let entry) = change, own.contains(entry.name.gateway) else {
                    continue
                }
                group.addTask {
                    if hold > .zero { try await Task.sleep(for: hold) }
                    let order = entry.value
                    let report = Report(campaign: order.campaign, turn: order.turn, .succeeded)
                    try await store.reports.put(entry.name, report)
                }
            }
        }
    }
}
