import FleetModel
import FleetStore
import FleetTestSupport
import NATS
import Testing

/// libnats ends its waits by the clock of the wall. With it, each of these took an hour
/// (`Sources/CSteadyClock`).
@Suite(
    "A clock that is set back by an hour",
    .enabled(if: TestServer.isThere, "\(TestServer.isMissing)")
)
struct ClockTests {
    @Test("Doesn't keep a gateway from its server after the connection broke")
    func reconnection() async throws {
        let fleet = try await Fleet(seed: 1, deviceCount: 1)
        try fleet.start([.east])
        try await awaitEvent("ready", of: fleet)
        fleet.relay(of: .east)?.set(.cut)
        try await awaitEvent("serverAway", of: fleet)
        fleet.faults(of: .east)?.setClock(ahead: -3_600)
        // Some attempts go by.
        try await Task.sleep(for: .seconds(1))
        fleet.relay(of: .east)?.set(.open)
        try await awaitEvent("serverBack", of: fleet)
        #expect(try await fleet.end() == [.east: 0])
    }

    @Test("Doesn't keep a gateway from noticing that its connection is dead")
    func deadConnection() async throws {
        let fleet = try await Fleet(seed: 1, deviceCount: 1)
        try fleet.start([.east])
        try await awaitEvent("ready", of: fleet)
        fleet.faults(of: .east)?.setClock(ahead: -3_600)
        fleet.relay(of: .east)?.set(.forgetful)
        try await awaitEvent("serverAway", of: fleet)
        try await awaitEvent("serverBack", of: fleet)
        #expect(try await fleet.end() == [.east: 0])
    }

    private func awaitEvent(_ name: String, of fleet: Fleet) async throws {
        try await eventually("a gateway prints \(name)", within: .seconds(60)) {
            try fleet.log(of: .east).contains { $0.name == name }
        }
    }
}
