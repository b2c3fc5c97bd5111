import BLEOTA
import BLEOTATestSupport
import BLEOTAWire
import Foundation
import Glibc
import SystemPackage
import Testing

/// Peers that are not there any more, or never were what they seemed: nothing hangs beyond the
/// stated time.
@Suite("Wrong peers of the tool", .timeLimit(.minutes(3)))
struct ToolWrongPeerTests {
    private typealias Stage = ScriptedReceiver.Stage
    private static let byteCount = 50_000
    private let place = ToolDirectory()

    @Test("A receiver that goes silent: 75 in the stated time", arguments: Stage.allCases)
    private func silent(stage: Stage) async throws {
        let result = try await push(to: .silent, from: stage, seconds: 2)
        #expect(result.status == 75)
        #expect(result.errors.contains("does not respond"))
    }

    @Test("A receiver that gives no credit for ever: 75", arguments: [Stage.opening, .image])
    private func withoutCredit(stage: Stage) async throws {
        let result = try await push(to: .withoutCredit, from: stage, seconds: 3)
        #expect(result.status == 75)
        #expect(result.errors.contains("is making no progress"))
    }

    @Test(
        "A receiver that speaks garbage: 75, or 76 where it can be told",
        arguments: Stage.allCases
    )
    private func garbage(stage: Stage) async throws {
        #expect(try await push(to: .garbage, from: stage, seconds: 2).status == 75)
        #expect(try await push(to: .malformed, from: stage).status == 76)
        #expect(try await push(to: .result(.verified, detail: 5), from: stage).status == 76)
    }

    @Test(
        "A refusal has the exit code of its kind",
        arguments: [
            (.tooLarge, 65), (.unsigned, 65), (.noSpace, 65), (.storeFailed, 74), (.notNow, 75),
            (.version, 76),
        ] as [(Reason, Int32)]
    )
    func refusals(reason: Reason, status: Int32) async throws {
        let result = try await push(to: .result(reason, detail: 0x0202), from: .opening)
        #expect(result.status == status)
    }

    @Test("Something else that listens on the socket: 76; something that says nothing: 75")
    func strangers() async throws {
        let image = place.image(100)
        let stranger = StrangeListener(at: place.path("s"), saying: Array("hello\n".utf8))
        let mute = StrangeListener(at: place.path("m"), saying: [])
        for (listener, status) in [(stranger, 76), (mute, 75)] {
            for command in [["push", image], ["pull", "x", "--output", place.path("x")]] {
                let result = try await RunningTool(
                    command + ["--connect", "unix:\(listener.path)", "--timeout", "1"],
                    in: place
                ).end(within: 20)
                #expect(result.status == Int32(status))
                #expect(result.errors.hasPrefix("bleota: "), "\(result.errors)")
            }
        }
    }

    @Test("A receiver that is stopped in the middle, as by a debugger: 75, and it goes on later")
    func stopped() async throws {
        let receiver = try await place.receiver()
        let image = place.image(3_000_000)
        let push = try RunningTool(
            [
                "push", image, "--connect", place.target, "--json", "--timeout", "1", "--burst",
                "16:4",
            ],
            in: place
        )
        try await push.output { ($0["bytes"] as? Int ?? 0) > 0 && $0["total"] != nil }
        receiver.send(SIGSTOP)
        let result = try await push.end(within: 30)
        #expect(result.status == 75)
        receiver.send(SIGCONT)
        let again = try await place.run("push", image, "--connect", place.target, "--json")
        #expect(again.status == 0)
        #expect(again.events.last!.number("resumedFromByte")! > 0)
        #expect(place.current == place.bytes("image.bin"))
    }

    @Test("A pull from a peer that stops in the middle: 75 in the stated time")
    func stoppedPull() async throws {
        let offer = place.image(30_000_000, name: "big")
        let receiver = try await place.receiver("--offer", offer)
        let pull = try RunningTool(
            [
                "pull", "big", "--connect", place.target, "--json", "--timeout", "1", "--output",
                place.path("copy"),
            ],
            in: place
        )
        try await pull.output { $0["event"] as? String == "progress" }
        receiver.send(SIGSTOP)
        let result = try await pull.end(within: 30)
        receiver.send(SIGCONT)
        // On a fast machine everything may have arrived by then.
        #expect(result.status == 75 || result.status == 0)
        let again = try await place.run(
            "pull",
            "big",
            "--connect",
            place.target,
            "--output",
            place.path("copy")
        )
        #expect(again.status == 0)
        #expect(place.bytes("copy") == place.bytes("big"))
    }

    private func push(
        to manner: ScriptedReceiver.Manner,
        from stage: Stage,
        seconds: Int = 20
    ) async throws -> ToolResult {
        let path = place.path("fake")
        let fake = try FakeReceiver(at: path, of: Self.byteCount, from: stage, manner)
        let result = try await RunningTool(
            [
                "push", place.image(Self.byteCount), "--connect", "unix:\(path)", "--timeout",
                "\(seconds)",
            ],
            in: place
        ).end(within: 3 * seconds + 15)
        _ = fake
        #expect(result.isOneSentence, "\(result.errors)")
        return result
    }
}

/// Listens on a socket, and says the same to everybody.
private final class StrangeListener: Sendable {
    let path: String
    private let descriptor: Int32

    init(at path: String, saying bytes: [UInt8]) {
        self.path = path
        descriptor = socket(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        precondition(bound == 0 && listen(descriptor, 8) == 0)
        Thread.detachNewThread { [descriptor] in
            while true {
                let peer = accept(descriptor, nil, nil)
                guard peer >= 0 else { return }
                if !bytes.isEmpty { send(peer, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }
                // The peer is left open: it ends with this process.
            }
        }
    }

    deinit { shutdown(descriptor, Int32(SHUT_RDWR)) }
}
