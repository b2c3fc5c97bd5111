import BLEOTA
import FleetModel
import FleetTestSupport
import Testing

@Suite(
    "Every role, with its own key, over TLS",
    .enabled(if: TestServer.isThere, "\(TestServer.isMissing)"),
    .timeLimit(.minutes(4))
)
struct RolesTests {
    @Test("Does all its work, from the first command to the last device")
    func campaign() async throws {
        let fleet = try ToolFleet()
        try await fleet.start()
        #expect(try await fleet.run(["init"], as: "operator") == 0)
        let controller = try fleet.begin(["controller", "--json"], as: "controller")
        let devices = try fleet.devices(4)
        let gateway = try fleet.gateway("east")
        try await fleet.awaitOutput(of: ["devices", "--json"], as: "operator") { text in
            text.split(separator: "\n").count == 4
        }

        let image = try await fleet.image()
        let create = ["campaign", "create", "spring", "--image", image]
        #expect(try await fleet.run(create + ToolFleet.plan, as: "operator") == 0)
        #expect(try await fleet.run(["campaign", "start", "spring"], as: "operator") == 0)
        // A console may pause and resume, and make nothing.
        for verb in ["pause", "resume"] {
            let code = try await fleet.run(["campaign", verb, "spring"], as: "console")
            // The campaign may be over before.
            #expect(code == 0 || code == 64, "\(verb)")
        }
        #expect(try await fleet.run(["gateways"], as: "console") == 0)
        #expect(try await fleet.run(["devices"], as: "console") == 0)
        try await fleet.awaitOutput(of: ["campaign", "list", "--json"], as: "console") {
            $0.contains(#""phase":"finished""#)
        }
        try await fleet.awaitOutput(of: ["campaign", "status", "spring", "--json"], as: "console") {
            $0.contains(#""updated":4"#)
        }

        // Another gateway, without another start of the server.
        let words = ["init", "gateway", fleet.folder, "north"]
        #expect(try await fleet.run(words, as: nil) == 0)
        try await fleet.reload()
        let north = try fleet.gateway("north")
        try await fleet.awaitOutput(of: ["gateways", "--json"], as: "operator") {
            $0.contains(#""gateway":"north""#)
        }
        for process in [north, gateway, devices, controller] {
            process.terminate()
            #expect(try await process.end() == 0)
        }
        // None of them has asked for anything that it may not have.
        let log = fleet.serverLog()
        #expect(!log.contains(" Violation - "), "\(log)")
        #expect(!log.contains("[ERR]"), "\(log)")
    }

    @Test("Is told so when it asks for what isn't its own, and when its key isn't known")
    func refusals() async throws {
        let fleet = try ToolFleet()
        try await fleet.start()
        #expect(try await fleet.run(["init"], as: "operator") == 0)
        let image = try await fleet.image()
        let create = ["campaign", "create", "spring", "--image", image] + ToolFleet.plan
        #expect(try await fleet.run(create, as: "console") == 77)
        #expect(try await fleet.run(["init", "--replicas", "1"], as: "console") == 77)
        #expect(try await fleet.run(["devices"], as: "gateway-east") == 77)
        // A gateway of another name.
        let words = fleet.gatewayWords("west")
        #expect(try await fleet.run(words, as: "gateway-east") == 77)
        // The key of another fleet.
        let other = try ToolFleet()
        #expect(try await fleet.run(["devices"], as: "operator", seeds: other) == 77)
        #expect(try await fleet.run(["devices"], as: nil) == 77)
        #expect(fleet.serverLog().contains("Publish Violation - Subject"))
    }
}
