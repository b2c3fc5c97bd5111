import FleetTestSupport
import Testing

@Suite(
    "The end of the tool",
    .enabled(if: TestServer.isThere, "\(TestServer.isMissing)"),
    .timeLimit(.minutes(6))
)
struct EndTests {
    private static let variables = [
        "LD_PRELOAD=\(Tool.faults)", "FLEET_FAULTS_REFUSE_EXIT=1",
    ]

    /// One of OpenSSL frees its locks. In one of a hundred runs, a thread of the NATS library that
    /// still read took one then, and the process was killed by SIGSEGV.
    @Test("Comes without the handlers of exit, whether a command is done or has failed")
    func handlersOfExit() async throws {
        let fleet = try ToolFleet(variables: Patience.variables + Self.variables)
        try await fleet.start()
        #expect(try await fleet.run(["init"], as: "operator") == 0)
        #expect(try await fleet.run(["devices"], as: "operator") == 0)
        #expect(try await fleet.run(["campaign", "start", "none"], as: "operator") == 69)
        let controller = try fleet.begin(["controller", "--json"], as: "controller")
        try await fleet.awaitOutput(of: ["audit"], as: "operator") { _ in true }
        controller.terminate()
        #expect(try await controller.end() == 0)
    }
}
