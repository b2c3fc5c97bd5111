import BLEOTATestSupport
import DBus
import Testing

@testable import BLEOTATool

/// Which protocol `bleota push` uses, by the services of a device and the file.
@Suite("The tool and the protocol of a device", .timeLimit(.minutes(2)))
struct ToolProtocolTests {
    private let place = ToolDirectory()

    /// A device with these services, and a client of the daemon.
    private func bench(bleota: Bool, smp: Bool) async throws -> BlueZBench {
        try await BlueZBench { daemon in
            if !bleota { try await daemon.removeTree(Fake.update) }
            guard smp else { return }
            for (path, interfaces) in Fake.smpObjects() { try await daemon.add(path, interfaces) }
        }
    }

    private func push(
        _ arguments: String...,
        to bench: BlueZBench
    ) async throws -> ToolResult {
        let image = place.write(Array(repeating: 7, count: 500), to: "firmware.bin")
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
            result.errors.contains("bleota supports no update protocol of lamp"),
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
}
