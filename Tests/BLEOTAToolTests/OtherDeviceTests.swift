import BLEOTATestSupport
import Glibc
import Testing

/// The tool and devices that speak other makers' protocols, which are programs of Tests/Devices.
@Suite(
    "The tool and other makers' devices",
    .serialized,
    .timeLimit(.minutes(5)),
    .enabled(if: PythonDevice.areAvailable, Comment(rawValue: PythonDevice.whyUnavailable))
)
struct OtherDeviceTests {
    private let place = ToolDirectory()

    /// The packages that a program which is not ours has made.
    private func packages(byteCount: Int = 30_001) async throws -> String {
        _ = try await PythonDevice.run(
            "packages.py",
            [place.path("packages"), "--size", "\(byteCount)"],
            in: place
        )
        return place.path("packages")
    }

    private func smpDevice(_ arguments: String...) async throws -> (PythonDevice, String) {
        let device = try await PythonDevice(
            "smp_device.py",
            ["--udp", "0"] + arguments,
            usesSocket: false
        )
        try await device.waitForEvent("listening")
        let port = try #require(device.events.first?.number("udp"))
        return (device, "smp+udp:127.0.0.1:\(port)")
    }

    private func run(_ arguments: String...) async throws -> ToolResult {
        try await RunningTool(arguments, in: place).end(within: 60)
    }

    @Test("a push over UDP ends when the device runs the image and keeps it")
    func push() async throws {
        let (device, target) = try await smpDevice("--erase-ms", "300", "--reset-ms", "300")
        let image = try await packages() + "/mcuboot-2.0.0.bin"
        let result = try await run("push", image, "--connect", target, "--json")
        #expect(result.status == 0, "\(result.errors)")
        let end = try #require(result.events.last)
        #expect(end.name == "result")
        #expect(end.text("protocol") == "smp")
        let states = result.events.filter { $0.name == "device" }.map { $0.text("state") }
        #expect(states == ["onTrial", "confirmed"])
        try await device.end()
        #expect(device.violations == [])
        #expect(device.events.contains { $0.name == "confirmed" })
    }

    @Test("a push that is killed is resumed by the next")
    func killed() async throws {
        let (device, target) = try await smpDevice("--slow", "20")
        let image = try await packages(byteCount: 200_000) + "/mcuboot-2.0.0.bin"
        let first = try RunningTool(["push", image, "--connect", target, "--json"], in: place)
        try await first.output { ($0["bytes"] as? Int ?? 0) > 10_000 && $0["total"] != nil }
        first.send(SIGKILL)
        _ = try await first.end()
        let second = try await run("push", image, "--connect", target, "--json")
        #expect(second.status == 0, "\(second.errors)")
        #expect(second.events.last?.number("resumedFromByte") ?? 0 > 0)
        try await device.end()
        #expect(device.violations == [])
    }

    @Test("an interrupted push stops cleanly, and says how to go on")
    func interrupted() async throws {
        let (device, target) = try await smpDevice("--slow", "20")
        let image = try await packages(byteCount: 200_000) + "/mcuboot-2.0.0.bin"
        let push = try RunningTool(["push", image, "--connect", target, "--json"], in: place)
        try await push.output { ($0["bytes"] as? Int ?? 0) > 10_000 && $0["total"] != nil }
        let result = try await push.interrupt()
        #expect(result.status == 130)
        #expect(result.errors.contains("run the same command again to resume"), "\(result.errors)")
        try await device.end()
        #expect(device.violations == [])
    }

    @Test("what one does by hand: images, info, test, reset, confirm, erase, echo")
    func byHand() async throws {
        let (device, target) = try await smpDevice("--reset-ms", "200")
        let image = try await packages() + "/mcuboot-2.0.0.bin"
        let stored = try await run("push", image, "--connect", target, "--upload-only")
        #expect(stored.status == 0, "\(stored.errors)")
        let list = try await run("device", "images", "--connect", target, "--json")
        let slots = list.events.filter { $0.name == "slot" }
        #expect(slots.count == 2, "\(list.output)")
        let hash = try #require(slots.last?.text("hash"))
        #expect(try await run("device", "test", hash, "--connect", target).status == 0)
        let erase = try await run("device", "erase", "--connect", target)
        #expect(erase.status == 65)
        #expect(erase.isOneSentence, "\(erase.errors)")
        #expect(try await run("device", "reset", "--connect", target).status == 0)
        try await device.waitForEvent("activated")
        #expect(try await run("device", "confirm", "--connect", target).status == 0)
        #expect(try await run("device", "erase", "--connect", target).status == 0)
        let echo = try await run("device", "echo", "hello", "--connect", target)
        #expect(echo.output == "hello\n")
        let info = try await run("device", "info", "--connect", target)
        #expect(info.output.contains("buffers"), "\(info.output)")
        try await device.end()
        #expect(device.violations == [])
    }

    @Test("a device on a serial line, with a console and without", arguments: ["serial", "raw"])
    func serial(framing: String) async throws {
        let device = try await PythonDevice(
            "smp_device.py",
            [framing == "raw" ? "--raw-serial" : "--serial"],
            usesSocket: false
        )
        try await device.waitForEvent("listening")
        let key = framing == "raw" ? "raw-serial" : "serial"
        let path = try #require(device.events.first?.text(key))
        let image = try await packages() + "/mcuboot-2.1.0.bin"
        let result = try await run("push", image, "--connect", "smp+\(framing):\(path)", "--json")
        #expect(result.status == 0, "\(result.errors)")
        try await device.end()
        #expect(device.violations == [])
    }

    @Test("wrong targets, files and options end with one sentence that says what to do")
    func wrong() async throws {
        let folder = try await packages()
        let cases: [(arguments: [String], status: Int32, text: String)] = [
            (["push", folder + "/esp.bin", "--connect", "smp+udp:127.0.0.1"], 65, "imgtool sign"),
            (
                ["push", folder + "/mcuboot-broken.bin", "--connect", "smp+udp:127.0.0.1"], 65,
                "hash"
            ),
            (
                ["push", folder + "/mcuboot-2.0.0.bin", "--connect", "smp+udp:no.host.invalid"], 69,
                "Can't find the host"
            ),
            (["device", "images", "--connect", "smp+serial:/dev/null"], 69, "serial line"),
        ]
        for (arguments, status, text) in cases {
            let result = try await RunningTool(arguments, in: place).end(within: 30)
            #expect(result.status == status, "\(arguments): \(result.errors)")
            #expect(result.isOneSentence, "\(result.errors)")
            #expect(result.errors.contains(text), "\(result.errors)")
        }
        let usages = [
            ["push", "x", "--connect", "smp+tcp:host"],
            ["push", "x", "--connect", "smp+udp:host:0"],
            ["push", "x", "--connect", "unix:/x", "--confirm"],
            ["push", "x", "--connect", "smp+udp:host", "--test", "--confirm"],
            ["push", "x", "--connect", "smp+udp:host", "--protocol", "bleota"],
            ["device", "test", "abc", "--connect", "smp+udp:host"],
        ]
        for arguments in usages {
            let result = try await RunningTool(arguments, in: place).end(within: 30)
            #expect(result.status == 64, "\(arguments): \(result.errors)")
        }
    }

    @Test("a device that is not there is silent: 75 after its time")
    func absent() async throws {
        let image = try await packages() + "/mcuboot-2.0.0.bin"
        let result = try await run(
            "push",
            image,
            "--connect",
            "smp+udp:127.0.0.1:9",
            "--timeout",
            "1"
        )
        #expect(result.status == 75)
        #expect(result.isOneSentence, "\(result.errors)")
    }
}
