import FleetTestSupport
import Glibc
import Testing

@Suite(
    "A key that is lost, wrong or shut out",
    .enabled(if: TestServer.isThere, "\(TestServer.isMissing)"),
    .timeLimit(.minutes(6))
)
struct LostKeyTests {
    /// A gateway, ten times as fast as a real one.
    private func gateway(_ fleet: ToolFleet, _ name: String) throws -> ChildProcess {
        let words = fleet.gatewayWords(name) + ["--divide-times-by", "10"]
        return try fleet.begin(words, as: "gateway-\(name)")
    }

    @Test("A service whose seed is gone names the file, and ends with 74 after the limit")
    func gone() async throws {
        let fleet = try ToolFleet()
        try await fleet.start()
        #expect(try await fleet.run(["init"], as: "operator") == 0)
        _ = try fleet.devices(1)
        let east = try gateway(fleet, "east")
        try await eventually("it is ready") { fleet.output(of: east).contains("ready to update") }
        let seed = fleet.seed(of: "gateway-east")
        #expect(unlink(seed) == 0)
        fleet.kill(server: 0)
        try fleet.begin(server: 0)
        #expect(try await east.end() == 74)
        let cause = "no key to connect with: \(seed) can't be read: No such file or directory"
        #expect(fleet.output(of: east).contains("waiting for the server: \(cause)\n"))
        #expect(
            fleet.output(of: east).hasSuffix(
                "bleota-fleet: \(cause); put the file there again, and start this again.\n"
            )
        )
    }

    /// A gateway took 12 s, in which it tried to say that it ended.
    @Test("A service whose server is away ends at once on SIGTERM", arguments: [true, false])
    func terminated(isSeedGone: Bool) async throws {
        let fleet = try ToolFleet()
        try await fleet.start()
        #expect(try await fleet.run(["init"], as: "operator") == 0)
        _ = try fleet.devices(1)
        let east = try fleet.gateway("east")
        let controller = try fleet.begin(["controller"], as: "controller")
        let token = fleet.files.path("token")
        let console = try fleet.begin(
            ["console", "--token", token, "--listen", "127.0.0.1:0"],
            as: "console"
        )
        for (process, text) in [
            (east, "ready to update"), (controller, "devices are known"),
            (console, "the console is at"),
        ] {
            try await eventually(text) { fleet.output(of: process).contains(text) }
        }
        if isSeedGone {
            for user in ["gateway-east", "controller", "console"] {
                #expect(unlink(fleet.seed(of: user)) == 0)
            }
        }
        fleet.kill(server: 0)
        if isSeedGone { try fleet.begin(server: 0) }
        let mark = isSeedGone ? "can't be read" : "waiting for the server"
        for process in [east, controller] {
            try await eventually(mark) { fleet.output(of: process).contains(mark) }
        }
        for process in [east, controller, console] { process.terminate() }
        for process in [east, controller, console] {
            #expect(try await process.end(within: .seconds(8)) == 0)
        }
        #expect(!fleet.output(of: controller).contains("the server is there again"))
    }

    @Test("A gateway that is shut out ends with 77, while it is connected and when it connects")
    func shutOut() async throws {
        let fleet = try ToolFleet()
        try await fleet.start()
        #expect(try await fleet.run(["init"], as: "operator") == 0)
        _ = try fleet.devices(1)
        let east = try fleet.gateway("east")
        try await eventually("it is ready") { fleet.output(of: east).contains("ready to update") }
        #expect(unlink("\(fleet.folder)/users/gateway-east.key") == 0)
        #expect(try await fleet.run(["init", "gateway", fleet.folder], as: nil) == 0)
        try await fleet.reload()
        #expect(try await east.end() == 77)
        #expect(fleet.output(of: east).contains("these servers don't know this key"))
        #expect(try await fleet.run(fleet.gatewayWords("east"), as: "gateway-east") == 77)
    }

    @Test("Whoever has the wrong seed is told which file fits")
    func advice() async throws {
        let fleet = try ToolFleet()
        try await fleet.start()
        #expect(try await fleet.run(["init"], as: "operator") == 0)
        let gateway = try await fleet.answer(to: fleet.gatewayWords("west"), as: "gateway-east")
        #expect(gateway.code == 77)
        #expect(
            gateway.text == """
                bleota-fleet: the name west and the seed don't fit: the servers don't let the owner \
                of this seed speak for west; give --name the gateway of the seed, or --seed the file \
                gateway-west.seed.

                """
        )
        let rows = [
            (["controller"], "controller.seed"), (["devices"], "operator.seed"),
            (["console", "--token", fleet.files.path("token")], "console.seed"),
        ]
        for (words, file) in rows {
            let answer = try await fleet.answer(to: words, as: "gateway-east")
            #expect(answer.code == 77)
            #expect(answer.text.hasSuffix("; give \(file) with --seed.\n"), "\(answer.text)")
        }
        let other = try ToolFleet()
        let words = fleet.gatewayWords("east")
        let stranger = try await fleet.answer(to: words, as: "gateway-east", seeds: other)
        #expect(stranger.code == 77)
        #expect(stranger.text.contains("or give gateway-east.seed of this fleet with --seed"))
    }
}
