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
