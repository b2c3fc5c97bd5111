import BLEOTATestSupport
import Foundation
import Testing

@testable import BLEOTA

/// Updates of the built tool by clients of SMP that we did not write: smpclient and smpmgr.
@Suite(
    "Updates of a receiver by others' clients of SMP",
    .serialized,
    .timeLimit(.minutes(20)),
    .enabled(if: PythonDevice.areAvailable, Comment(rawValue: PythonDevice.whyUnavailable))
)
struct ClientTests {
    private let place = ToolDirectory()

    // MARK: - UDP

    @Test("uploads resume after either side was killed, and each image is equal")
    func uploads() async throws {
        let count = TestScope.choose(10, full: 100)
        let seed = TestSeed.rounds(1)[0]
        var random = TestSeed(seed)
        var (receiver, address) = try await receiver("--allow-unsigned")
        for index in 0..<count {
            let image = try await image(
                byteCount: 200_000 + random.below(300_000),
                version: "1.0.\(index)",
                seed: random.next() >> 32
            )
            let client = try client("udp", address, "upload:" + place.path("image"))
            let stop = random.below(image.count / 2)
            try await client.output { ($0["off"] as? Int ?? 0) >= stop }
            client.send(SIGKILL)
            _ = try await client.end()
            if index.isMultiple(of: 2) {
                receiver.send(SIGKILL)
                _ = try await receiver.end()
                (receiver, address) = try await self.receiver("--allow-unsigned")
            }
            let offsets = try await run("udp", address, "upload:" + place.path("image"))
                .compactMap { $0.number("off") }
            #expect(offsets.first ?? 0 > max(0, stop - 140_000), "seed \(seed)")
            #expect(offsets.last == image.count)
            let done = try await run("udp", address, "test", "reset", "state", "confirm", "state")
            #expect(done.map(\.name) == ["written", "reset", "state", "written", "state"])
            #expect(try state(done[2]).first?["confirmed"] as? Bool == false)
            #expect(try state(done[4]).first?["confirmed"] as? Bool == true)
            #expect(place.bytes("store/current/image") == image)
        }
        receiver.send(SIGTERM)
        #expect(try await receiver.end().status == 0)
    }

    @Test("only images of a trusted key are taken, and the log names the reason")
    func trust() async throws {
        try await place.generateKey()
        let (receiver, address) = try await receiver("--trust", place.path("release.pem.pub"))
        _ = try await image(byteCount: 100_000)
        let refused = try await run("udp", address, "upload:" + place.path("image"), "state")
        #expect(refused.map(\.name).suffix(2) == ["refused", "state"])
        #expect(refused.dropLast().last?.number("group") == 1)
        #expect(try state(refused.last).count == 1)
        try await receiver.output { line in
            (line["message"] as? String)?.contains("accepts only signed images") ?? false
        }
        try await place.sign(place.path("image"), as: "image.bleota")
        let accepted = try await run(
            "udp",
            address,
            "upload:" + place.path("image.bleota"),
            "confirm-slot",
            "reset",
            "state"
        )
        #expect(try state(accepted.last).first?["confirmed"] as? Bool == true)
        #expect(place.bytes("store/current/image") == place.bytes("image"))
        receiver.send(SIGTERM)
        _ = try await receiver.end()
    }

    @Test("a program installs an image on trial, and a client confirms it")
    func installation() async throws {
        let (receiver, address) = try await receiver(
            "--allow-unsigned",
            "--",
            "sh",
            "-c",
            "echo $BLEOTA_MODE > \(place.path("mode"))"
        )
        _ = try await image(byteCount: 50_000)
        _ = try await run("udp", address, "upload:" + place.path("image"), "test", "reset")
        try await receiver.output { $0["event"] as? String == "installed" }
        #expect(place.bytes("mode") == Array("test\n".utf8))
        let done = try await run("udp", address, "state", "confirm", "state")
        #expect(try state(done[0]).first?["confirmed"] as? Bool == false)
        #expect(try state(done[2]).first?["confirmed"] as? Bool == true)
        receiver.send(SIGTERM)
        _ = try await receiver.end()
    }

    // MARK: - Serial lines

    @Test("smpclient updates over a serial line in both framings", arguments: ["serial", "raw"])
    func lines(framing: String) async throws {
        let cable = SerialCable(between: (place.path("device"), place.path("host")))
        let receiver = try await listening("smp+\(framing):" + place.path("device"))
        let image = try await image(byteCount: 60_000)
        let done = try await run(
            framing,
            place.path("host"),
            "echo",
            "upload:" + place.path("image"),
            "test",
            "reset",
            "state"
        )
        #expect(try state(done.last).first?["active"] as? Bool == true)
        #expect(place.bytes("store/current/image") == image)
        receiver.send(SIGTERM)
        _ = try await receiver.end()
        cable.unplug()
    }

    @Test("smpmgr upgrades over a serial line")
    func manager() async throws {
        let cable = SerialCable(between: (place.path("device"), place.path("host")))
        let receiver = try await listening("smp+serial:" + place.path("device"))
        let image = try await image(byteCount: 60_000)
        let manager = try RunningTool(
            [
                "-m", "smpmgr", "--port", place.path("host"), "--timeout", "10", "upgrade",
                "--slot", "1", place.path("image"),
            ],
            in: place,
            program: PythonDevice.interpreter
        )
        let result = try await manager.end()
        #expect(result.status == 0, "\(result.output) \(result.errors)")
        try await receiver.output { $0["event"] as? String == "stored" }
        #expect(place.bytes("store/current/image") == image)
        receiver.send(SIGTERM)
        _ = try await receiver.end()
        cable.unplug()
    }

    // MARK: - Support

    private func listening(_ target: String) async throws -> RunningTool {
        let tool = try RunningTool(
            ["receive", "--listen", target, "--store", place.path("store"), "--json"],
            in: place
        )
        try await tool.output { $0["event"] as? String == "listening" }
        return tool
    }

    /// A receiver on a free port, and its address.
    private func receiver(_ arguments: String...) async throws -> (RunningTool, String) {
        let tool = try RunningTool(
            [
                "receive", "--listen", "smp+udp:127.0.0.1:0", "--store", place.path("store"),
                "--json",
            ] + arguments,
            in: place
        )
        try await tool.output { $0["event"] as? String == "listening" }
        let address = Event.all(in: tool.output).compactMap { $0.text("path") }.first
        return (tool, try #require(address))
    }

    private func client(
        _ kind: String,
        _ address: String,
        _ commands: String...
    ) throws -> RunningTool {
        try client(kind, address, commands)
    }

    private func client(
        _ kind: String,
        _ address: String,
        _ commands: [String]
    ) throws -> RunningTool {
        try RunningTool(
            [Repository.path(of: "Tests/Devices/smp_client.py"), kind, address] + commands,
            in: place,
            program: PythonDevice.interpreter
        )
    }

    /// Runs a client to its end, and returns what it prints.
    private func run(
        _ kind: String,
        _ address: String,
        _ commands: String...
    ) async throws -> [Event] {
        let result = try await client(kind, address, commands).end()
        #expect(result.status == 0, "\(result.errors.suffix(2_000))")
        return result.events
    }

    private func state(_ event: Event?) throws -> [[String: Any]] {
        try #require(event?.fields["images"] as? [[String: Any]])
    }

    /// Writes an image that a program which is not ours has made, and returns its bytes.
    private func image(
        byteCount: Int,
        version: String = "2.0.0",
        seed: UInt64 = 1
    ) async throws -> [UInt8] {
        let code = """
            import random, sys; sys.path.insert(0, sys.argv[2]); import mcuboot
            version = tuple(map(int, "\(version).0".split(".")))
            data = mcuboot.made(random.Random(\(seed)).randbytes(\(byteCount)), version=version)
            open(sys.argv[1], "wb").write(data)
            """
        let maker = try RunningTool(
            ["-c", code, place.path("image"), Repository.path(of: "Tests/Devices")],
            in: place,
            program: PythonDevice.interpreter
        )
        let result = try await maker.end()
        #expect(result.status == 0, "\(result.errors)")
        return try #require(place.bytes("image"))
    }
}
