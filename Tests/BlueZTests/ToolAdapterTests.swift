import BLEOTABlueZ
import BLEOTATestSupport
import DBus
import Testing

@testable import BLEOTATool

@Suite("The tool and an adapter that can't be used", .timeLimit(.minutes(2)))
struct ToolAdapterTests {
    private let place = ToolDirectory()

    private func bench(_ properties: [String: BusValue]) async throws -> BlueZBench {
        try await BlueZBench { daemon in
            daemon.change(Fake.hci0, Fake.adapter, quietly: properties)
        }
    }

    @Test("an adapter without the role of a central does not scan: a sentence and 69")
    func scan() async throws {
        let bench = try await bench(["Roles": .strings(["peripheral"])])
        let result = try await bench.run("scan", "--adapter", "hci0", in: place)
        #expect(result.status == 69)
        #expect(result.isOneSentence, "\(result.errors)")
        #expect(result.errors.contains("hci0 can't connect to devices"), "\(result.errors)")
        #expect(bench.daemon.calls(of: "StartDiscovery").isEmpty)
    }

    @Test("an adapter without the role of a device does not advertise: a sentence and 69")
    func receive() async throws {
        let bench = try await bench(["Roles": .strings(["central"])])
        let result = try await bench.run(
            "receive",
            "--advertise",
            "--allow-unsigned",
            "--adapter",
            "hci0",
            "--store",
            place.store,
            in: place
        )
        #expect(result.status == 69)
        #expect(result.isOneSentence, "\(result.errors)")
        #expect(
            result.errors.contains("hci0 can't act as a Bluetooth LE peripheral"),
            "\(result.errors)"
        )
        #expect(bench.daemon.calls(of: "RegisterApplication").isEmpty)
    }

    @Test("an adapter that is blocked: 69, and the command that unblocks it, from the doctor too")
    func blocked() async throws {
        let bench = try await bench([
            "Powered": .boolean(false), "PowerState": .string("off-blocked"),
        ])
        let result = try await bench.run("scan", in: place)
        #expect(result.status == 69)
        #expect(result.isOneSentence, "\(result.errors)")
        #expect(result.errors.contains("rfkill unblock bluetooth"), "\(result.errors)")
        let doctor = try await bench.run("doctor", in: place)
        #expect(doctor.status == 69)
        #expect(doctor.output.contains("rfkill unblock bluetooth"), "\(doctor.output)")
        #expect(doctor.isOneSentence, "\(doctor.errors)")
    }

    @Test(
        "the doctor says by what an adapter is blocked where only the kernel knows",
        arguments: [
            (true, false, "rfkill unblock bluetooth"), (false, true, "switch or key"),
        ]
    )
    func blockedByKernel(_ soft: Bool, _ hard: Bool, _ remedy: String) async throws {
        let switches = FakeRadioSwitches()
        try switches.set(soft: soft, hard: hard)
        let bench = try await BlueZBench(radioSwitches: switches.folder) { daemon in
            daemon.change(Fake.hci0, Fake.adapter, quietly: ["Powered": .boolean(false)])
        }
        let finding = AdapterCheckup.finding(try bench.adapter)
        #expect(finding.grade == .problem)
        #expect(finding.what.contains("00:AA:01:00:00:42 is blocked"))
        #expect(finding.remedy?.contains(remedy) == true)
    }

    @Test(
        "the doctor says which roles an adapter lacks, and what they are for",
        arguments: [
            (["central", "peripheral"], .ok, "on, central, peripheral"),
            (["central"], .note, "can send, but not receive"),
            (["peripheral"], .note, "can receive, but not send"),
            ([], .problem, "does not support Bluetooth LE"),
        ] as [([String], Finding.Grade, String)]
    )
    func roles(_ roles: [String], _ grade: Finding.Grade, _ what: String) async throws {
        let bench = try await bench(["Roles": .strings(roles)])
        let finding = AdapterCheckup.finding(try bench.adapter)
        #expect(finding.grade == grade)
        #expect(finding.what.contains(what))
    }
}
