import FleetModel
import FleetStore
import FleetTestSupport
import NATS
import Testing

@testable import FleetConsole

@Suite("The console's pages", .enabled(if: TestServer.isThere, "\(TestServer.isMissing)"))
struct PageTests {
    /// A small fleet: one device of each state.
    private func fill(_ site: Site) async throws {
        let devices = [
            Sample.device(0), Sample.device(1, .given), Sample.device(2, .given, .lent),
            Sample.device(3, .given, .lent, .succeeded),
            Sample.device(4, .given, .lent, .failed(Sample.refusal)),
        ]
        for device in devices {
            try await site.store.devices.create(device.id, device)
            let name = Sample.name(0).gateway
            try await site.store.sightings.create(
                .init(device.id, at: name),
                Sample.sighting(-60)
            )
        }
        try await site.store.gateways.create(Sample.east, Sample.status())
        try await site.store.reports.create(
            Sample.name(2),
            Report(
                campaign: Sample.spring,
                turn: Turn(1),
                .working(storedByteCount: 300, byteCount: 1_000)
            )
        )
        try await site.store.campaigns.create(Sample.spring, Sample.campaign(.start(.init(4)!)))
    }

    @Test("Every page shows the fleet, and its data are there for programs")
    func pages() async throws {
        let site = try await Site()
        try await fill(site)
        let session = try await site.logIn()
        try await site.await("aria-label=\"30 % stored\"", on: "/devices/lamp-2", session)
        let marks: [(path: String, texts: [String])] = [
            ("/", ["spring", "east", "lamp", Sample.refusal.detail, "Stage 1 of 2"]),
            ("/campaigns/spring", ["Stage 1", "50\u{202F}%", Sample.refusal.detail, "Pause…"]),
            ("/devices?state=failed", ["lamp-4", "1 device"]),
            ("/devices?search=AMP-3", ["lamp-3", "1 device"]),
            ("/devices/lamp-4", ["oldest writing", "Heard by"]),
            ("/gateways", ["east", "1 of 4"]), ("/gateways/east", ["lamp-2", "lamp-0"]),
            ("/failures", [Sample.refusal.detail, "Refused by the device"]),
            ("/audit", ["Nothing has been written down"]),
        ]
        for (path, texts) in marks {
            let answer = try await site.client.get(path, session)
            #expect(answer.status == 200, "\(path)")
            for text in texts { #expect(answer.body.contains(text), "\(path): \(text)") }
            #expect(answer.body.firstMatch(of: /style=|onclick/) == nil, "\(path)")
        }
        let bearer = ["Authorization": "Bearer \(site.token.text)"]
        for path in Self.dataPaths {
            let answer = try await site.client.get(path, bearer)
            #expect(answer.status == 200 && answer.headers["content-type"] == "application/json")
            #expect(answer.body.hasPrefix("{") && answer.body.hasSuffix("}\n"), "\(path)")
        }
        let fleet = try await site.client.get("/api/fleet", bearer).body
        let counts = #""devices":{"idle":1,"waiting":1,"updating":1,"updated":1,"failed":1}"#
        #expect(fleet.contains(counts), "\(fleet)")
    }

    static let dataPaths = [
        "/api/fleet", "/api/campaigns", "/api/campaigns/spring", "/api/devices",
        "/api/devices/lamp-2", "/api/gateways", "/api/gateways/east", "/api/failures",
        "/api/audit",
    ]

    @Test("What isn't there, or can't be, is said so")
    func missing() async throws {
        let site = try await Site()
        let session = try await site.logIn()
        for path in ["/campaigns/none", "/devices/none", "/gateways/none", "/none", "/devices/%2F"]
        {
            let answer = try await site.client.get(path, session)
            #expect(answer.status == 404, "\(path)")
            #expect(answer.body.contains("<h1>Not Found</h1>"), "\(path)")
        }
        for query in ["state=asleep", "page=0", "page=x", "colour=red", "campaign=a.b"] {
            let answer = try await site.client.get("/devices?\(query)", session)
            #expect(answer.status == 400, "\(query)")
        }
        let answer = try await site.client.get("/api/devices/none", session)
        #expect(answer.status == 404 && answer.body == "{\"error\":\"There is no device none.\"}\n")
    }

    @Test("Pause and resume reach the campaign, and only when they make sense")
    func steering() async throws {
        let site = try await Site()
        try await fill(site)
        let session = try await site.logIn()
        try await site.await("spring", on: "/", session)
        let secret = try await site.formSecret(session)
        func steer(_ action: String, _ campaign: String = "spring") async throws -> HTTPAnswer {
            try await site.client.post("/campaigns/\(campaign)/\(action)", secret, session)
        }
        #expect(try await steer("resume").status == 409)
        let paused = try await steer("pause")
        #expect(paused.status == 303 && paused.headers["location"] == "/campaigns/spring")
        #expect(try await site.phase() == .paused(stage: 0, population: .init(4)!))
        // The browser's next question finds it paused.
        let page = try await site.client.get("/campaigns/spring", session).body
        #expect(page.contains("paused, stage 1 of 2") && page.contains("Resume…"))
        #expect(try await steer("pause").status == 409)
        #expect(try await steer("resume").status == 303)
        #expect(try await site.phase() == .running(stage: 0, population: .init(4)!))
        #expect(try await steer("pause", "none").status == 404)
        #expect(try await steer("stop").status == 404)
        var entries: [AuditLog.Line] = []
        try await site.store.audit.read(last: 100) { entries.append($0) }
        #expect(entries.map(\.about) == ["console", "console"])
        #expect(entries.map(\.entry?.sentence) == ["paused spring", "resumed spring"])
        let author = try #require(entries[0].entry?.author)
        #expect(author.hasPrefix("browser at 127.0.0.1, console of "), "\(author)")
    }

    @Test("A device's history has what was written, with the server's times")
    func history() async throws {
        let site = try await Site()
        let session = try await site.logIn()
        let steps = [
            Sample.device(1), Sample.device(1, .given), Sample.device(1, .given, .lent),
            Sample.device(1, .given, .lent, .succeeded),
        ]
        var revision = try await site.store.devices.create(steps[0].id, steps[0])
        for step in steps.dropFirst() {
            revision = try await site.store.devices.update(step.id, step, after: revision)
        }
        try await site.await("Updated to 2.0.0", on: "/devices/lamp-1", session)
        let answer = try await site.client.get("/api/devices/lamp-1", session).body
        let events = answer.matches(of: /"event":"([a-z]+)"/).map { String($0.output.1) }
        #expect(events == ["updated", "lent", "given", "known"])
        #expect(answer.firstMatch(of: /"time":"20\d\d-\d\d-\d\dT/) != nil)
        // Eight writings are kept.
        for version in 1...9 as ClosedRange<UInt16> {
            var device = steps[3]
            device.version = FirmwareVersion(3, 0, version)
            revision = try await site.store.devices.update(device.id, device, after: revision)
        }
        let kept = try await site.store.devices.history(of: steps[0].id)
        #expect(kept.count == 8 && kept.last?.value.version == FirmwareVersion(3, 0, 9))
    }
}
