import FleetModel
import FleetStore
import FleetTestSupport
import NATS
import Testing

@testable import FleetConsole

@Suite("The console, live", .enabled(if: TestServer.isThere, "\(TestServer.isMissing)"))
struct LiveTests {
    private func stream(_ site: Site, _ session: [String: String]) throws -> HTTPStream {
        try HTTPStream(port: site.client.port, "GET", "/events", session, "")
    }

    @Test("A change reaches a browser as an event, and nothing comes without a change")
    func events() async throws {
        let site = try await Site()
        let session = try await site.logIn()
        let stream = try stream(site, session)
        let head = try await stream.read(until: "\"isComplete\":true")
        #expect(head.contains("text/event-stream"))
        let device = Sample.device(1, .given, .lent)
        let revision = try await site.store.devices.create(device.id, device)
        _ = try await stream.read(until: "\"updating\":1")
        let done = Sample.device(1, .given, .lent, .succeeded)
        try await site.store.devices.update(device.id, done, after: revision)
        let events = try await stream.read(until: "\"updated\":1")
        #expect(events.matches(of: /event: fleet/).count <= 2)
    }

    @Test("A burst of changes is told in a few events")
    func burst() async throws {
        let site = try await Site()
        let stream = try stream(site, try await site.logIn())
        _ = try await stream.read(until: "\"isComplete\":true")
        let start = ContinuousClock.now
        for number in 0..<300 {
            let device = Sample.device(number)
            try await site.store.devices.create(device.id, device)
        }
        let events = try await stream.read(until: "\"idle\":300")
        // At most two a second, however long it took.
        let seconds = Int(start.duration(to: .now).components.seconds)
        #expect(events.matches(of: /event: fleet/).count <= 2 * (seconds + 1) + 1)
    }

    @Test("A logout ends the streams of its session, and no other")
    func logout() async throws {
        let site = try await Site()
        let (mine, other) = (try await site.logIn(), try await site.logIn())
        let streams = (try stream(site, mine), try stream(site, other))
        _ = try await streams.0.read(until: "event: fleet")
        _ = try await streams.1.read(until: "event: fleet")
        let metrics = try await site.client.get("/metrics", other).body
        #expect(metrics.contains("bleota_fleet_console_streams 2\n"))
        _ = try await site.client.post("/logout", try await site.formSecret(mine), mine)
        _ = try await streams.0.read(until: "event: over")
        #expect(try await site.client.get("/events", mine).status == 401)
        try await site.store.campaigns.create(Sample.spring, Sample.campaign())
        _ = try await streams.1.read(until: "\"all\":1}")
    }

    @Test("While the server is away, the console shows what it knew, and goes on afterwards")
    func serverAway() async throws {
        let site = try await Site()
        let session = try await site.logIn()
        try await site.store.campaigns.create(Sample.spring, Sample.campaign(.start(.init(4)!)))
        try await site.await("spring", on: "/", session)
        let secret = try await site.formSecret(session)
        let stream = try stream(site, session)
        site.server.kill()
        _ = try await stream.read(until: "\"isConnected\":false")
        let page = try await site.client.get("/", session).body
        #expect(page.contains("spring") && page.contains("can’t be reached"))
        // Programs weren't told that what they read is old.
        let bearer = ["Authorization": "Bearer \(site.token.text)"]
        for path in ["/api/campaigns", "/api/campaigns/spring", "/api/devices", "/api/gateways"] {
            let answer = try await site.client.get(path, bearer).body
            #expect(answer.hasSuffix(#","isConnected":false}"# + "\n"), "\(path): \(answer)")
        }
        let pause = try await site.client.post("/campaigns/spring/pause", secret, session)
        #expect(pause.status == 503)
        try await site.server.start()
        _ = try await stream.read(until: "\"isConnected\":true")
        let again = try await site.client.post("/campaigns/spring/pause", secret, session)
        #expect(again.status == 303)
        try await site.await("paused, stage 1", on: "/campaigns/spring", session)
    }

    /// The metric and the page said that all is well.
    @Test("A store without a leader counts as away, even if a server answers")
    func noLeader() async throws {
        let site = try await Site()
        let stream = try stream(site, try await site.logIn())
        let bearer = ["Authorization": "Bearer \(site.token.text)"]
        func awaitMetric(_ value: Int) async throws {
            try await eventually("the metric is \(value)") {
                try await site.client.get("/metrics", bearer).body
                    .contains("bleota_fleet_server_connected \(value)\n")
            }
        }
        try await awaitMetric(1)
        // It stands for a stream that nobody leads.
        try await site.store.connection.deleteStream(StreamName("KV_fleet-seat")!)
        try await awaitMetric(0)
        _ = try await stream.read(until: "\"isConnected\":false")
        _ = try await FleetStore.create(on: site.store.connection, replicas: .one)
        _ = try await stream.read(until: "\"isConnected\":true")
        try await awaitMetric(1)
    }

    @Test("The console ends when it is told to, also with streams open")
    func end() async throws {
        let site = try await Site()
        let stream = try stream(site, try await site.logIn())
        _ = try await stream.read(until: "event: fleet")
        await site.end()
        while await stream.read() != nil {}
    }

    @Test("Metrics tell of devices, gateways and campaigns")
    func metrics() async throws {
        let site = try await Site()
        let device = Sample.device(1, .given, .lent)
        try await site.store.devices.create(device.id, device)
        try await site.store.campaigns.create(Sample.spring, Sample.campaign(.start(.init(4)!)))
        let bearer = ["Authorization": "Bearer \(site.token.text)"]
        try await eventually("the metrics have the campaign") {
            let text = try await site.client.get("/metrics", bearer).body
            return [
                "bleota_fleet_devices{state=\"updating\"} 1",
                "bleota_fleet_campaign_devices{campaign=\"spring\",state=\"updating\"} 1",
                "bleota_fleet_campaign_selected_devices{campaign=\"spring\"} 4",
                "bleota_fleet_campaigns{phase=\"running\"} 1", "bleota_fleet_server_connected 1",
            ].allSatisfy { text.contains($0 + "\n") }
        }
    }
}
