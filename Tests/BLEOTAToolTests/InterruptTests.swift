import BLEOTATestSupport
import Glibc
import Testing

@testable import BLEOTATool

/// Signals: the peer is told, and what is stored stays. docs/reference.md has the table of them.
@Suite("Interrupts", .timeLimit(.minutes(2)))
struct InterruptTests {
    private let place = ToolDirectory()

    @Test(
        "A signal during a push: 128 and its number, the peer is told, and the next push goes on",
        arguments: [SIGINT, SIGTERM, SIGHUP]
    )
    func push(signal: Int32) async throws {
        let receiver = try await place.receiver()
        let push = try slowPush()
        try await push.output { ($0["bytes"] as? Int ?? 0) > 0 && $0["total"] != nil }
        push.send(signal)
        let result = try await push.end(within: 20)
        #expect(result.status == 128 + signal)
        #expect(result.isOneSentence, "\(result.errors)")
        #expect(result.events.last?.number("exitCode") == Int(128 + signal))
        try await receiver.output {
            $0["event"] as? String == "ended"
                && ($0["message"] as? String ?? "").contains("stopped the transfer")
        }
        try await pushAgain()
    }

    @Test("SIGINT during a receive: 130, and the sender can go on with the next receiver")
    func receive() async throws {
        let receiver = try await place.receiver()
        let push = try slowPush("--timeout", "1")
        try await push.output { ($0["bytes"] as? Int ?? 0) > 0 && $0["total"] != nil }
        #expect(try await receiver.interrupt().status == 130)
        let result = try await push.end(within: 20)
        #expect(result.status == 75)
        #expect(result.isOneSentence, "\(result.errors)")
        _ = try await place.receiver()
    }

    @Test(
        "SIGTERM and SIGHUP end a receiver with 0 and no error, and its sender is told",
        arguments: [SIGTERM, SIGHUP]
    )
    func stopService(signal: Int32) async throws {
        let receiver = try await place.receiver()
        let push = try slowPush("--timeout", "1")
        try await push.output { ($0["bytes"] as? Int ?? 0) > 0 && $0["total"] != nil }
        receiver.send(signal)
        let stopped = try await receiver.end(within: 20)
        #expect(stopped.status == 0)
        #expect(stopped.errors.isEmpty, "\(stopped.errors)")
        #expect(!stopped.events.contains { $0.name == "error" })
        let result = try await push.end(within: 20)
        #expect(result.status == 75)
        #expect(result.errors.contains("stopped the transfer"), "\(result.errors)")
        #expect(access(place.socket, F_OK) != 0)
    }

    @Test("SIGHUP that is ignored, as with nohup, stays ignored")
    func nohup() async throws {
        let command = """
            trap '' HUP; exec '\(RunningTool.path)' receive --listen '\(place.target)' \
            --store '\(place.store)' --json
            """
        let receiver = try RunningTool(["-c", command], in: place, program: "/bin/sh")
        try await receiver.output { $0["event"] as? String == "listening" }
        receiver.send(SIGHUP)
        let push = try await place.run("push", place.image(5_000), "--connect", place.target)
        #expect(push.status == 0)
        receiver.send(SIGTERM)
        #expect(try await receiver.end(within: 20).status == 0)
    }

    @Test("SIGINT during a pull: 130, and the next pull goes on")
    func pull() async throws {
        let offer = place.image(40_000_000, name: "big")
        let receiver = try await place.receiver("--offer", offer)
        let arguments = [
            "pull", "big", "--connect", place.target, "--output", place.path("copy"), "--json",
        ]
        let pull = try RunningTool(arguments, in: place)
        try await pull.output { $0["event"] as? String == "progress" }
        let result = try await pull.interrupt()
        // On a fast machine everything may have arrived by then.
        #expect(result.status == 130 || result.status == 0)
        #expect(try await RunningTool(arguments, in: place).end().status == 0)
        #expect(place.bytes("copy") == place.bytes("big"))
        receiver.send(SIGTERM)
        _ = try await receiver.end()
    }

    @Test("A second SIGINT ends it at once, though the peer does not answer")
    func second() async throws {
        let receiver = try await place.receiver()
        let push = try slowPush()
        try await push.output { ($0["bytes"] as? Int ?? 0) > 0 && $0["total"] != nil }
        receiver.send(SIGSTOP)
        push.send(SIGINT)
        try await push.output { $0["event"] as? String == "stopping" }
        #expect(try await push.interrupt().status == 130)
        receiver.send(SIGCONT)
        try await pushAgain()
    }

    /// They were ignored until Dispatch listened: a receiver that was stopped as it started ran on.
    @Test("No signal is ignored before it is listened to")
    func noneLost() {
        for _ in 0..<20 {
            let interruption = Interruption(cancelling: Task {}) {}
            defer { interruption.end() }
            var action = sigaction()
            sigaction(SIGTERM, nil, &action)
            let handler = unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            #expect(handler != unsafeBitCast(SIG_IGN, to: Int.self))
        }
    }

    private func slowPush(_ arguments: String...) throws -> RunningTool {
        try RunningTool(
            [
                "push", place.image(4_000_000), "--connect", place.target, "--json", "--burst",
                "16:4",
            ] + arguments,
            in: place
        )
    }

    private func pushAgain() async throws {
        let again = try await place.run(
            "push",
            place.path("image.bin"),
            "--connect",
            place.target,
            "--json"
        )
        #expect(again.status == 0)
        #expect(again.events.last!.number("resumedFromByte")! > 0)
        #expect(place.current == place.bytes("image.bin"))
    }
}
