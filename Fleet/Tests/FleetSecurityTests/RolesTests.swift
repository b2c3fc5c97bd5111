import BLEOTA
import FleetModel
import FleetTestSupport
import NATS
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
        let first = try await fleet.answer(to: ["init"], as: "operator")
        #expect(first.code == 0 && first.text == "the store is made, on 1 server\n")
        let again = try await fleet.answer(to: ["init"], as: "operator")
        #expect(again.text == "the store is there already; nothing has changed\n")
        let controller = try fleet.begin(["controller", "--json"], as: "controller")
        let keys = fleet.files.path("keys")
        let devices = try fleet.devices(4, ["--keys", keys])
        let gateway = try fleet.gateway("east")
        try await fleet.awaitOutput(of: ["devices", "--json"], as: "operator") { text in
            text.split(separator: "\n").count == 4
        }

        let enroll = ["devices", "enroll", "\(keys)/list"]
        #expect(try await fleet.run(enroll, as: "operator") == 0)
        try await fleet.awaitOutput(of: ["devices", "--json"], as: "operator") { text in
            text.split(separator: #""key":""#).count == 5
        }

        let image = try await fleet.image()
        let create = [
            "campaign", "create", "spring", "--image", image, "--receipts", "required",
        ]
        #expect(try await fleet.run(create + ToolFleet.plan, as: "operator") == 0)
        #expect(try await fleet.run(["campaign", "start", "spring"], as: "operator") == 0)
        // A console may pause and resume, and make nothing.
        var pauses = 0
        for verb in ["pause", "resume"] {
            let code = try await fleet.run(["campaign", verb, "spring"], as: "console")
            // The campaign may be over before.
            #expect(code == 0 || code == 64, "\(verb)")
            if verb == "pause", code == 0 { pauses += 1 }
        }
        #expect(try await fleet.run(["gateways"], as: "console") == 0)
        #expect(try await fleet.run(["devices"], as: "console") == 0)
        try await fleet.awaitOutput(of: ["campaign", "list", "--json"], as: "console") {
            $0.contains(#""phase":"finished""#)
        }
        try await fleet.awaitOutput(of: ["campaign", "status", "spring", "--json"], as: "console") {
            $0.contains(#""updated":4"#)
        }
        // What the console's key did is written down as that.
        let key = try await fleet.connect(as: "operator").user?.text ?? "nobody"
        try await fleet.awaitOutput(of: ["audit", "--json"], as: "console") { [pauses] text in
            let lines = text.split(separator: "\n")
            return lines.contains { $0.contains(#""detail":"started spring""#) && $0.contains(key) }
                && lines.count { $0.contains(#""about":"console","detail":"paused"#) } == pauses
        }
        try await fleet.awaitOutput(of: ["devices", "--json"], as: "console") { text in
            text.split(separator: #""signed":true"#).count == 5
        }

        #expect(try await fleet.run(["campaign", "delete", "spring"], as: "operator") == 0)
        let forget = ["devices", "forget", "device-001"]
        #expect(try await fleet.run(forget, as: "operator") == 0)
        try await fleet.awaitOutput(of: ["devices", "--json"], as: "console") { text in
            text.split(separator: "\n").count == 3
        }

        // Another gateway, without another start of the server.
        let words = ["init", "gateway", fleet.folder, "north"]
        #expect(try await fleet.run(words, as: nil) == 0)
        try await fleet.reload()
        let north = try fleet.gateway("north")
        try await fleet.awaitOutput(of: ["gateways", "--json"], as: "operator") {
            $0.contains(#""gateway":"north""#)
        }
        // It hears the device that was forgotten, which therefore has a new record.
        try await fleet.awaitOutput(of: ["devices", "--json"], as: "console") { text in
            text.split(separator: "\n").count == 4
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

    /// The command failed at the image, and nothing was written down.
    @Test("A console that deletes a campaign says that its image stays, and it is written down")
    func deletion() async throws {
        let fleet = try ToolFleet()
        try await fleet.start()
        #expect(try await fleet.run(["init"], as: "operator") == 0)
        let image = try await fleet.image()
        let create = ["campaign", "create", "spring", "--image", image] + ToolFleet.plan
        #expect(try await fleet.run(create, as: "operator") == 0)
        let answer = try await fleet.answer(to: ["campaign", "delete", "spring"], as: "console")
        #expect(answer.code == 77)
        #expect(answer.text.hasPrefix("bleota-fleet: spring is deleted, but its image stays: "))
        #expect(answer.text.contains("delete that as the operator.\n"))
        #expect(
            try await fleet.answer(to: ["campaign", "list"], as: "console").text.contains("spring")
                == false
        )
        let audit = try await fleet.answer(to: ["audit"], as: "operator").text
        #expect(audit.contains("deleted spring; its image stays"), "\(audit)")
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
        let keys = fleet.files.path("keys")
        let devices = try fleet.devices(1, ["--keys", keys])
        try await eventually("the list of keys is there") {
            TestFolder.read("\(keys)/list") != nil
        }
        for role in ["console", "controller", "gateway-east"] {
            #expect(try await fleet.run(["devices", "enroll", "\(keys)/list"], as: role) == 77)
        }
        devices.terminate()
        #expect(try await devices.end() == 0)
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
