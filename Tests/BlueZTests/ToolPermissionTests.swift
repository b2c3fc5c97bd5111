import BLEOTABlueZ
import BLEOTATestSupport
import Testing

@Suite("The tool and a daemon that does not let it in", .timeLimit(.minutes(1)))
struct ToolPermissionTests {
    private let place = ToolDirectory()

    /// A bus that passes on nothing to the daemon, as the policies of older distributions for who
    /// does not sit at the machine.
    private func daemon() async throws -> (PrivateBus, FakeBlueZ) {
        let deny = "<deny send_destination=\"org.bluez\" send_type=\"method_call\"/>"
        let bus = try PrivateBus(rule: deny)
        let daemon = FakeBlueZ(on: bus)
        try await daemon.start()
        try await daemon.add(Fake.hci0, Fake.adapterInterfaces())
        return (bus, daemon)
    }

    @Test(
        "pitfall 24: a policy of the bus that denies: a sentence with the group, and 77",
        arguments: [
            ["scan"], ["read", "kitchen", "2a19"],
            ["receive", "--advertise", "--allow-unsigned", "--store"],
        ]
    )
    func denied(_ arguments: [String]) async throws {
        let (bus, daemon) = try await daemon()
        let last = arguments.last == "--store" ? [place.store] : []
        let result = try await RunningTool.run(arguments + last, on: bus, in: place)
        #expect(result.status == 77)
        #expect(result.isOneSentence, "\(result.errors)")
        #expect(result.errors.contains("usermod -aG bluetooth $USER"), "\(result.errors)")
        #expect(!result.errors.contains("type="), "\(result.errors)")
        #expect(daemon.calls.elements.isEmpty)
    }

    @Test("pitfall 24: the doctor says so too")
    func doctor() async throws {
        let (bus, daemon) = try await daemon()
        let result = try await RunningTool.run(["doctor", "--json"], on: bus, in: place)
        let finding = try #require(result.events.first { $0.text("subject") == "daemon" })
        #expect(finding.text("grade") == "problem")
        #expect(finding.text("found")?.contains("usermod -aG bluetooth $USER") == true)
        #expect(result.status == 77)
        #expect(result.isOneSentence, "\(result.errors)")
        #expect(daemon.calls.elements.isEmpty)
    }
}
