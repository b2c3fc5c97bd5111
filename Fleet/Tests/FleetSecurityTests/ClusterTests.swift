import FleetTestSupport
import NATS
import Testing

@Suite(
    "Three servers that know each other by their certificates",
    .enabled(if: TestServer.isThere, "\(TestServer.isMissing)"),
    .timeLimit(.minutes(6))
)
struct ClusterTests {
    @Test("Carry a campaign to its end while the one that leads is killed")
    func leaderKilled() async throws {
        let fleet = try ToolFleet(servers: 3)
        try await fleet.start()
        try await eventually("the three agree") {
            try await fleet.run(["init", "--replicas", "3"], as: "operator") == 0
        }
        let controller = try fleet.begin(["controller", "--json"], as: "controller")
        let devices = try fleet.devices(8)
        let gateway = try fleet.gateway("east")
        try await fleet.awaitOutput(of: ["devices", "--json"], as: "operator") { text in
            text.split(separator: "\n").count == 8
        }
        let image = try await fleet.image()
        let create = ["campaign", "create", "spring", "--image", image]
        #expect(try await fleet.run(create + ToolFleet.plan, as: "operator") == 0)
        #expect(try await fleet.run(["campaign", "start", "spring"], as: "operator") == 0)

        let leader = try await leader(of: fleet)
        fleet.kill(server: leader)
        try await fleet.awaitOutput(of: ["campaign", "list", "--json"], as: "operator") {
            $0.contains(#""phase":"finished""#)
        }
        try await fleet.awaitOutput(of: ["devices", "--json"], as: "console") { text in
            text.split(separator: "\n").count { $0.contains(#""version":"2.0.0""#) } == 8
        }
        for process in [gateway, devices, controller] {
            process.terminate()
            #expect(try await process.end() == 0)
        }
    }

    @Test("Are named by a command if two of the three are down, and if one is, it works")
    func majorityLost() async throws {
        // Nobody answers, which is waited for.
        let fleet = try ToolFleet(servers: 3, variables: ["BLEOTA_FLEET_ANSWER_LIMIT=10"])
        try await fleet.start()
        try await eventually("the three agree") {
            try await fleet.run(["init", "--replicas", "3"], as: "operator") == 0
        }
        try await eventually("each server has everything") {
            let answer = try await fleet.answer(to: ["servers"], as: "console")
            let rows = answer.text.split(separator: "\n").dropFirst().map { $0.prefix(7) }
            return answer.code == 0 && rows == ["fleet-1", "fleet-2", "fleet-3"]
        }
        fleet.kill(server: 2)
        try await eventually("another leads") {
            try await fleet.run(["devices"], as: "operator") == 0
        }
        // It was said nowhere that one of three is down.
        try await eventually("the one that is down is named") {
            let answer = try await fleet.answer(to: ["servers"], as: "operator")
            return answer.code == 75
                && answer.text.contains("fleet-3 does not answer the other servers: look at each")
        }
        let connection = try await fleet.connect(as: "operator")
        let seat = try #require(StreamName("KV_fleet-seat"))
        #expect(try await connection.state(of: seat).hasMajority)
        fleet.kill(server: 0)
        try await eventually("the one that is left says that it is alone") {
            (try? await connection.state(of: seat))?.hasMajority == false
        }
        for words in [["devices"], ["init", "--replicas", "3"]] {
            let answer = try await fleet.answer(to: words, as: "operator")
            #expect(answer.code == 69)
            let places = [0, 2].map { "nats://localhost:\(fleet.ports[$0])" }
            #expect(
                answer.text.contains(
                    "2 of 3 servers do not answer: \(places.joined(separator: ", ")); "
                ),
                "\(answer.text)"
            )
        }
    }

    /// They tell a client to call them localhost, before any certificate is shown. It did, after it
    /// had refused their certificates.
    @Test("Are refused under a name that their certificates don't have")
    func otherName() async throws {
        let fleet = try ToolFleet(servers: 3)
        try await fleet.start()
        _ = try await fleet.connect(as: "operator")
        let error = await #expect(throws: NATSError.self) {
            _ = try await fleet.connect(as: "operator", host: "127.0.0.1")
        }
        guard case .refusedCertificate = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    /// The number of the server that leads the bucket of devices.
    private func leader(of fleet: ToolFleet) async throws -> Int {
        let connection = try await fleet.connect(as: "operator")
        let subject = Subject("$JS.API.STREAM.INFO.KV_fleet-devices")!
        let answer = String(
            decoding: try await connection.request([], to: subject),
            as: UTF8.self
        )
        let name = answer.split(separator: #""leader":"fleet-"#).dropFirst().first?.prefix(1)
        return try #require(name.flatMap { Int($0) }) - 1
    }
}
