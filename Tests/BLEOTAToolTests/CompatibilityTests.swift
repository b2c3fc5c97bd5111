import BLEOTATestSupport
import Foundation
import Glibc
import Testing

/// The tool of an earlier version, if there is one.
private enum OldTool {
    static let path = ProcessInfo.processInfo.environment["BLEOTA_OLD_TOOL"]
}

/// The tool of an earlier version at one end of a link, and this one at the other.
///
/// `make compatibility` builds the earlier one and names it in `BLEOTA_OLD_TOOL`. Without it, the
/// suite is left out: the ends of spec/minimal and the frozen data stand for earlier versions then.
@Suite(
    "Old and new",
    .enabled(if: OldTool.path != nil, "needs an earlier tool: make compatibility"),
    .timeLimit(.minutes(5))
)
struct CompatibilityTests {
    /// Which tool is at which end.
    enum Ends: String, CaseIterable, CustomStringConvertible {
        case oldSends = "old to new"
        case newSends = "new to old"

        var sender: String { self == .oldSends ? OldTool.path! : RunningTool.path }
        var receiver: String { self == .oldSends ? RunningTool.path : OldTool.path! }
        var description: String { rawValue }
    }

    private let place = ToolDirectory()

    private func run(_ program: String, _ arguments: String...) async throws -> ToolResult {
        try await run(program, arguments)
    }

    private func run(_ program: String, _ arguments: [String]) async throws -> ToolResult {
        try await RunningTool(arguments, in: place, program: program).end()
    }

    private func receiver(
        _ program: String,
        at address: String? = nil,
        _ arguments: String...
    ) async throws -> RunningTool {
        let tool = try RunningTool(
            ["receive", "--listen", address ?? place.target, "--store", place.store, "--json"]
                + arguments,
            in: place,
            program: program
        )
        try await tool.output { $0["event"] as? String == "listening" }
        return tool
    }

    private func end(_ receiver: RunningTool) async throws {
        receiver.send(SIGTERM)
        #expect(try await receiver.end(within: 20).status == 0)
    }

    // MARK: - Tests

    @Test("An image arrives, one frame in fifty lost", arguments: Ends.allCases)
    func push(_ ends: Ends) async throws {
        let receiver = try await receiver(ends.receiver)
        let image = place.image(300_000)
        let result = try await run(
            ends.sender,
            "push",
            image,
            "--connect",
            place.target,
            "--loss",
            "2%",
            "--json"
        )
        #expect(result.status == 0, "\(result.errors)")
        #expect(place.current == place.bytes("image.bin"))
        // Nothing is sent twice.
        let again = try await run(
            ends.sender,
            "push",
            image,
            "--connect",
            place.target,
            "--json"
        )
        #expect(again.status == 0, "\(again.errors)")
        #expect(again.events.last?.number("dataFramesSent") == 0)
        try await end(receiver)
    }

    @Test("An image arrives over a serial line", arguments: Ends.allCases)
    func serial(_ ends: Ends) async throws {
        let (near, far) = (place.path("near"), place.path("far"))
        let cable = SerialCable(between: (near, far))
        let receiver = try await receiver(ends.receiver, at: "serial:\(far)")
        let image = place.image(60_000)
        let result = try await run(ends.sender, "push", image, "--connect", "serial:\(near)")
        #expect(result.status == 0, "\(result.errors)")
        #expect(place.current == place.bytes("image.bin"))
        receiver.send(SIGKILL)
        _ = try await receiver.end()
        cable.unplug()
    }

    @Test(
        "Bundles that one signs are accepted by the other, and unsigned images refused",
        arguments: Ends.allCases,
        ["ed25519", "p256"]
    )
    func signed(_ ends: Ends, algorithm: String) async throws {
        let (key, bundle) = (place.path("key.pem"), place.path("image.bleota"))
        let (image, base) = (place.image(100_000), place.path("base.bin"))
        // An earlier release that differs a little, for a patch.
        var bytes = try #require(place.bytes("image.bin"))
        for index in 40_000..<40_100 { bytes[index] ^= 0xFF }
        place.write(bytes, to: "base.bin")
        let generate = ["key", "generate", key, "--algorithm", algorithm]
        #expect(try await run(ends.sender, generate).status == 0)
        let sealing = place.path("sealing.pem")
        #expect(try await run(ends.receiver, "key", "generate", "--sealing", sealing).status == 0)
        let receiver = try await receiver(
            ends.receiver,
            "--trust",
            "\(key).pub",
            "--unseal",
            sealing,
            "--hardware",
            "a/b:2"
        )
        #expect(try await run(ends.sender, "push", image, "--connect", place.target).status == 65)
        let kinds: [(file: String, options: [String])] = [
            (base, ["--counter", "3"]),
            (image, ["--counter", "4", "--base", base]),
            (base, ["--counter", "5", "--seal-for", "\(sealing).pub"]),
        ]
        for (file, options) in kinds {
            unlink(bundle)
            let sign = ["sign", file, "--key", key, "--output", bundle, "--hardware", "a/b:1-2"]
            #expect(try await run(ends.sender, sign + options).status == 0)
            let verify = try await run(ends.receiver, "verify", bundle, "--key", "\(key).pub")
            #expect(verify.status == 0, "\(verify.errors)")
            let result = try await run(ends.sender, "push", bundle, "--connect", place.target)
            #expect(result.status == 0, "\(options): \(result.errors)")
            #expect(place.current == place.bytes(file == base ? "base.bin" : "image.bin"))
        }
        try await end(receiver)
    }

    @Test("A transfer that one sender began is ended by the other", arguments: Ends.allCases)
    func resumeSender(_ ends: Ends) async throws {
        let receiver = try await receiver(ends.receiver)
        let image = try await beginPush(by: ends.sender)
        let other = ends.sender == RunningTool.path ? OldTool.path! : RunningTool.path
        try await resume(image, by: other)
        try await end(receiver)
    }

    @Test(
        "A transfer in the store of one receiver is ended in the other, as after an update",
        arguments: Ends.allCases
    )
    func resumeReceiver(_ ends: Ends) async throws {
        let first = try await receiver(ends.receiver)
        let image = try await beginPush(by: ends.sender)
        first.send(SIGKILL)
        _ = try await first.end()
        let second = try await receiver(ends.sender)
        try await resume(image, by: ends.sender)
        try await end(second)
    }

    @Test("A file is pulled", arguments: Ends.allCases)
    func pull(_ ends: Ends) async throws {
        let offer = place.image(200_000, name: "log.bin")
        let receiver = try await receiver(ends.sender, "--offer", offer)
        let copy = place.path("copy")
        let pull = ["pull", "log.bin", "--connect", place.target, "--output", copy]
        let result = try await run(ends.receiver, pull)
        #expect(result.status == 0, "\(result.errors)")
        #expect(place.bytes("copy") == place.bytes("log.bin"))
        try await end(receiver)
    }

    @Test("The sender learns which image the device runs", arguments: Ends.allCases)
    func confirmed(_ ends: Ends) async throws {
        let image = place.image(50_000)
        let receiver = try await receiver(ends.receiver, "--", "/bin/true")
        let result = try await run(
            ends.sender,
            "push",
            image,
            "--connect",
            place.target,
            "--wait-confirmed"
        )
        #expect(result.status == 0, "\(result.errors)")
        try await end(receiver)
    }

    @Test("One decodes the trace of the other", arguments: Ends.allCases)
    func trace(_ ends: Ends) async throws {
        let trace = place.path("trace")
        let push = ["push", place.image(20_000), "--loopback", "--trace", trace]
        #expect(try await run(ends.sender, push).status == 0)
        let decoded = try await run(ends.receiver, "decode", trace, "--json")
        #expect(decoded.status == 0, "\(decoded.errors)")
        #expect(decoded.events.allSatisfy { $0.fields["wellFormed"] as? Bool == true })
    }

    // MARK: - Steps

    /// Begins a push, and kills it when some of the image is stored.
    private func beginPush(by program: String) async throws -> String {
        let image = place.image(2_000_000)
        let push = try RunningTool(
            ["push", image, "--connect", place.target, "--json", "--burst", "16:4"],
            in: place,
            program: program
        )
        try await push.output { ($0["bytes"] as? Int ?? 0) > 0 && $0["total"] != nil }
        push.send(SIGKILL)
        _ = try await push.end()
        return image
    }

    private func resume(_ image: String, by program: String) async throws {
        let result = try await run(program, "push", image, "--connect", place.target, "--json")
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.events.last?.number("resumedFromByte") ?? 0 > 0)
        #expect(place.current == place.bytes("image.bin"))
    }
}
