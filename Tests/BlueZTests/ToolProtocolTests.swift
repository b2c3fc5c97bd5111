import BLEOTATestSupport
import DBus
import Testing

@testable import BLEOTATool

/// Which protocol `bleota push` uses, by the services of a device and the file.
@Suite("The tool and the protocol of a device", .timeLimit(.minutes(2)))
struct ToolProtocolTests {
    private let place = ToolDirectory()

    /// A device with these services, and a client of the daemon.
    private func bench(bleota: Bool, smp: Bool, esp: Bool = false) async throws -> BlueZBench {
        try await BlueZBench { daemon in
            if !bleota { try await daemon.removeTree(Fake.update) }
            let objects = (smp ? Fake.smpObjects() : []) + (esp ? Fake.espObjects() : [])
            for (path, interfaces) in objects { try await daemon.add(path, interfaces) }
        }
    }

    private func push(
        _ arguments: String...,
        firstByte: UInt8 = 7,
        to bench: BlueZBench
    ) async throws -> ToolResult {
        let bytes = [firstByte] + [UInt8](repeating: 7, count: 499)
        let image = place.write(bytes, to: "firmware.bin")
        return try await RunningTool.run(
            ["push", image, "--device", "lamp", "--timeout", "1"] + arguments,
            on: bench.bus,
            in: place
        )
    }

    @Test("a device without an update service is named, and disconnected")
    func noService() async throws {
        let bench = try await bench(bleota: false, smp: false)
        let result = try await push(to: bench)
        #expect(result.status == 65)
        #expect(result.isOneSentence, "\(result.errors)")
        #expect(
            result.errors.contains("lamp speaks no update protocol that bleota supports"),
            "\(result.errors)"
        )
        #expect(bench.daemon.calls(of: "Disconnect").count == 1)
    }

    @Test(
        "a file that the device can't use is refused with what to build"
    )
    func wrongFile() async throws {
        let bench = try await bench(bleota: false, smp: true)
        let result = try await push(to: bench)
        #expect(result.status == 65)
        #expect(result.isOneSentence, "\(result.errors)")
        #expect(result.errors.contains("is not an MCUboot image"), "\(result.errors)")
        #expect(result.errors.contains("imgtool sign"), "\(result.errors)")
        #expect(bench.daemon.calls(of: "Disconnect").count == 1)
        #expect(bench.daemon.calls(of: "StartNotify").isEmpty)
    }

    @Test("of two protocols the better one that suits the file is used")
    func both() async throws {
        let bench = try await bench(bleota: true, smp: true)
        let result = try await push("--json", to: bench)
        let chosen = result.events.first { $0.name == "protocol" }
        #expect(chosen?.text("name") == "bleota", "\(result.output)")
        // The fake device does not answer.
        #expect(result.status == 75)
    }

    @Test("a protocol that is forced is the only one, and one that the device lacks is named")
    func forced() async throws {
        let both = try await bench(bleota: true, smp: true)
        let unsuitable = try await push("--protocol", "smp", to: both)
        #expect(unsuitable.status == 65)
        #expect(unsuitable.errors.contains("is not an MCUboot image"), "\(unsuitable.errors)")
        let one = try await bench(bleota: true, smp: false)
        let lacking = try await push("--protocol", "smp", to: one)
        #expect(lacking.status == 65)
        #expect(lacking.isOneSentence, "\(lacking.errors)")
        #expect(
            lacking.errors.contains("lamp speaks bleota but not smp"),
            "\(lacking.errors)"
        )
    }

    @Test(
        "a choice that the device's protocol doesn't offer is refused",
        arguments: [
            (["--upload-only"], "Over esp-ota, lamp offers no choice"),
            (["--wait-confirmed"], "Over esp-ota, lamp does not report whether it has confirmed"),
        ]
    )
    func unable(options: [String], sentence: String) async throws {
        let bench = try await bench(bleota: false, smp: false, esp: true)
        let image = place.write([0xE9, 1, 2, 3], to: "esp.bin")
        let result = try await RunningTool.run(
            ["push", image, "--device", "lamp", "--timeout", "1"] + options,
            on: bench.bus,
            in: place
        )
        #expect(result.status == 65)
        #expect(result.isOneSentence, "\(result.errors)")
        #expect(result.errors.contains(sentence), "\(result.errors)")
        #expect(bench.daemon.calls(of: "Disconnect").count == 1)
        #expect(bench.daemon.calls(of: "WriteValue").isEmpty)
    }

    @Test("a device that wants a bond is named with the option for it")
    func notBonded() async throws {
        let bench = try await bench(bleota: false, smp: false, esp: true)
        bench.daemon.always("StartNotify", .error("org.bluez.Error.NotPermitted", "Not paired"))
        let result = try await push(firstByte: 0xE9, to: bench)
        #expect(result.status == 77, "\(result.errors)")
        #expect(result.isOneSentence, "\(result.errors)")
        #expect(result.errors.contains("--pair"), "\(result.errors)")
    }

    @Test("a bonded device is not paired with again")
    func bonded() async throws {
        let bench = try await bench(bleota: false, smp: false, esp: true)
        try await bench.daemon.change(
            Fake.peer,
            Fake.device,
            ["Paired": .boolean(true), "Bonded": .boolean(true)]
        )
        let image = place.write([0xE9, 1, 2, 3], to: "esp.bin")
        let push = try RunningTool.running(
            ["push", image, "--device", "lamp", "--json"],
            on: bench.bus,
            in: place
        )
        try await push.output { $0["name"] as? String == "esp-ota" }
        try await bench.daemon.called("StartNotify", times: 2)
        #expect(bench.daemon.calls(of: "Pair").isEmpty)
        // The fake device does not answer.
        #expect(try await push.interrupt().status == 130)
    }
}
