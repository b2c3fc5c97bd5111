import FleetControl
import FleetModel
import FleetSetup
import FleetStore
import FleetTestSupport
import NATS
import Testing

@Suite(
    "A gateway with a key of its own that is hostile",
    .enabled(if: TestServer.isThere, "\(TestServer.isMissing)"),
    .timeLimit(.minutes(3))
)
struct HostileTests {
    private static let east = GatewayID("east")!
    private static let streams =
        FleetStore.Part.allCases.map { "KV_\($0.bucket)" } + ["fleet-audit"]

    /// A fleet in which each kind of value has one, of the other gateway as well.
    private func filledFleet() async throws -> (fleet: SecuredFleet, controller: NATSConnection) {
        let fleet = try await SecuredFleet()
        let controller = try await fleet.store(.controller)
        let op = try await fleet.store(.operator)
        try await op.campaigns.create(Sample.spring, Campaign(Sample.plan()))
        try await op.images.store([1, 2, 3], as: Sample.digest)
        try await op.keys.create(Sample.lamp, SignedDevice().key)
        try await controller.devices.create(Sample.lamp, Sample.record(Sample.lamp))
        try await controller.seat.create(
            FleetStore.activeSeat,
            Seat(ControllerID("controller-1")!, beat: 1)
        )
        for gateway in SecuredFleet.gateways {
            try await controller.createOrderFeed(of: gateway)
            let name = DeviceAtGateway(Sample.lamp, at: gateway)
            try await controller.orders.create(name, Sample.order(1))
            let own = try await fleet.store(.gateway(gateway))
            try await own.gateways.create(gateway, Sample.status)
            try await own.sightings.create(name, Sample.sighting)
            try await own.reports.create(name, Sample.report(1, .succeeded))
        }
        try await controller.audit.add("a sentence", about: .gateway(SecuredFleet.gateways[1]))
        return (fleet, controller.connection)
    }

    @Test("Can't write what isn't its own, nor change, empty or delete a bucket")
    func writing() async throws {
        let (fleet, controller) = try await filledFleet()
        let before = try await fleet.streams(controller)
        let raw = try fleet.raw(.gateway(Self.east))
        let image = Sample.digest.hexadecimal
        var subjects = [
            "$KV.fleet-gateways.west", "$KV.fleet-sightings.west.lamp",
            "$KV.fleet-reports.west.lamp", "$KV.fleet-reports.east", "$KV.fleet-reports.east.a.b",
            "$KV.fleet-orders.east.lamp", "$KV.fleet-orders.west.lamp", "$KV.fleet-devices.lamp",
            "$KV.fleet-campaigns.spring", "$KV.fleet-seat.active", "$KV.fleet-images.\(image).0",
            "$KV.fleet-keys.lamp", "fleet.audit.east", "fleet.audit.west", "fleet.audit.operator",
            "anything",
        ]
        for stream in Self.streams {
            for verb in ["CREATE", "UPDATE", "DELETE", "PURGE", "MSG.DELETE", "SNAPSHOT"] {
                subjects.append("$JS.API.STREAM.\(verb).\(stream)")
            }
            subjects.append("$JS.API.CONSUMER.CREATE.\(stream)")
            subjects.append("$JS.API.CONSUMER.CREATE.\(stream).x.$KV.fleet-orders.east.lamp")
            subjects.append("$JS.API.CONSUMER.DURABLE.CREATE.\(stream).x")
            subjects.append("$JS.API.CONSUMER.DELETE.\(stream).east")
            subjects.append("$JS.API.CONSUMER.PAUSE.\(stream).west")
        }
        for subject in subjects {
            let answer = try raw.request(subject, "{}")
            guard case .refused(let why) = answer else {
                Issue.record("\(subject): \(answer)")
                continue
            }
            #expect(why.contains("Permissions Violation for Publish to \"\(subject)\""))
        }
        #expect(try await fleet.streams(controller) == before)
    }

    @Test("Can't read what is for others")
    func reading() async throws {
        let (fleet, controller) = try await filledFleet()
        let before = try await fleet.streams(controller)
        let raw = try fleet.raw(.gateway(Self.east))
        var subjects = [
            "$JS.API.CONSUMER.MSG.NEXT.KV_fleet-orders.west",
            "$JS.API.CONSUMER.INFO.KV_fleet-orders.west",
            "$JS.ACK.KV_fleet-orders.west.1.1.1.1.0",
            "$JS.API.DIRECT.GET.KV_fleet-orders.$KV.fleet-orders.west.lamp",
            "$JS.API.DIRECT.GET.KV_fleet-reports.$KV.fleet-reports.west.lamp",
            "$JS.API.DIRECT.GET.KV_fleet-devices.$KV.fleet-devices.lamp",
            "$JS.API.DIRECT.GET.KV_fleet-keys.$KV.fleet-keys.lamp",
            "$JS.API.INFO", "$JS.API.STREAM.LIST", "$JS.API.STREAM.NAMES",
            "$SYS.REQ.SERVER.PING", "$SYS.REQ.ACCOUNT.FLEET.CONNZ", "$SYS.REQ.ACCOUNT.PING.CONNZ",
        ]
        for stream in Self.streams {
            subjects += ["STREAM.INFO", "STREAM.MSG.GET", "DIRECT.GET", "CONSUMER.NAMES"]
                .map { "$JS.API.\($0).\(stream)" }
        }
        for subject in subjects {
            let answer = try raw.request(subject, #"{"seq":1}"#)
            guard case .refused(let why) = answer else {
                Issue.record("\(subject): \(answer)")
                continue
            }
            #expect(why.contains("Permissions Violation for Publish to \"\(subject)\""))
        }
        let west = try fleet.user(.gateway(SecuredFleet.gateways[1])).key
        for subject in [
            ">", "_INBOX.>", "_INBOX.\(west).>", "$KV.>", "$KV.fleet-orders.east.*",
            "fleet.audit.>", "$JS.EVENT.>", "$JS.API.>",
        ] {
            #expect(try raw.subscribe(subject)?.contains("Permissions Violation") == true)
        }
        #expect(try await fleet.streams(controller) == before)
    }

    /// With one account for all, each of these wrote into the records of devices: a server sends an
    /// answer wherever the request says, with its own rights.
    @Test("Can't have the server write an answer where it may not write itself")
    func confusedDeputy() async throws {
        let (fleet, controller) = try await filledFleet()
        let raw = try fleet.raw(.gateway(Self.east))
        let before = try await fleet.streams(controller)
        let requests = [
            "$JS.API.DIRECT.GET.KV_fleet-reports.$KV.fleet-reports.east.lamp",
            "$JS.API.DIRECT.GET.KV_fleet-gateways.$KV.fleet-gateways.east",
            "$JS.API.DIRECT.GET.KV_fleet-images.$KV.fleet-images.\(Sample.digest.hexadecimal).0",
            "$SYS.REQ.USER.INFO",
        ]
        let targets = [
            "$KV.fleet-devices.lamp", "$KV.fleet-devices.other", "$KV.fleet-reports.west.lamp",
            "$KV.fleet-orders.east.lamp", "$KV.fleet-orders.west.lamp", "$KV.fleet-seat.active",
            "$KV.fleet-campaigns.spring", "fleet.audit.west", "$KV.fleet-images.x.0",
            "$KV.fleet-keys.lamp",
        ]
        for request in requests {
            // It is permitted.
            guard case .answered = try raw.request(request) else {
                Issue.record("\(request) isn't answered")
                continue
            }
            for target in targets {
                #expect(try raw.request(request, answerSubject: target) == .silence)
            }
        }
        let next = "$JS.API.CONSUMER.MSG.NEXT.KV_fleet-orders.east"
        for target in targets {
            _ = try raw.request(next, #"{"batch":1,"no_wait":true}"#, answerSubject: target)
        }
        // A server handles the messages of a connection in their order, and its own after them.
        guard case .answered = try raw.request(requests[0]) else {
            Issue.record("the connection is gone")
            return
        }
        #expect(try await fleet.streams(controller) == before)
        // The acknowledgement of a write is an answer as well.
        for target in targets {
            _ = try raw.request("$KV.fleet-reports.east.own", "x", answerSubject: target)
        }
        let after = try await fleet.streams(controller)
        for stream in Self.streams where stream != "KV_fleet-reports" {
            #expect(after[stream] == before[stream])
        }
        #expect(after["KV_fleet-reports"]?.messageCount == 3)
    }

    @Test("Can't delete others' values with a roll-up, nor write what is larger than a value")
    func floods() async throws {
        let (fleet, controller) = try await filledFleet()
        let before = try await fleet.streams(controller)
        var raw = try fleet.raw(.gateway(Self.east))
        let own = "$KV.fleet-reports.east.lamp"
        for scope in ["all", "sub"] {
            let answer = try raw.request(own, "x", headers: [("Nats-Rollup", scope)])
            #expect("\(answer)".contains("rollup not permitted"))
        }
        let large = try raw.request(own, String(repeating: "x", count: 3_000))
        #expect("\(large)".contains("message size exceeds maximum allowed"))
        // More than the largest message of all ends the connection.
        let larger = try raw.request(own, String(repeating: "x", count: 5_000))
        #expect("\(larger)".contains("Maximum Payload Violation"))
        #expect(try await fleet.streams(controller) == before)
        // It may come back, but not often at once.
        var connections: [RawClient] = []
        #expect(throws: (any Error).self) {
            for _ in 0..<8 { connections.append(try fleet.raw(.gateway(Self.east))) }
        }
        #expect((2...4).contains(connections.count))
        // The other gateway is let in all the same.
        raw = try fleet.raw(.gateway(SecuredFleet.gateways[1]))
        guard case .answered = try raw.request("$KV.fleet-reports.west.lamp", "x") else {
            Issue.record("west isn't served")
            return
        }
    }
}
