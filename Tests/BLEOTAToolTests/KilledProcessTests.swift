import BLEOTATestSupport
import Glibc
import SystemPackage
import Testing

/// Kills real processes with SIGKILL in the middle of one transfer, again and again.
@Suite("A transfer whose processes are killed", .serialized, .timeLimit(.minutes(5)))
struct KilledProcessTests {
    /// The window is fixed, so that what is in flight has a bound.
    private static let windowChunkCount = 32
    /// What one kill may cost: the block that was incomplete, and what was in flight.
    private static let costOfKill = 4_096 + windowChunkCount * 240

    private static let killCount = 50
    private static let imageByteCount = 4 << 20

    @Test("ends verified, and sends at most a block and the frames in flight again for each kill")
    func killed() async throws {
        let seed = TestSeed.rounds(1, of: "Killed processes")[0]
        var random = TestSeed(seed)
        let place = ToolDirectory()
        let bytes = random.bytes(Self.imageByteCount)
        place.write(bytes, to: "firmware.bin")

        let proxy = try CountingProxy(
            listening: FilePath(place.path("proxy")),
            forwardingTo: FilePath(place.socket)
        )
        let serving = Task { await proxy.run() }
        defer { serving.cancel() }
        var receiver = try receive(place)
        var sender = try push(place)

        // Kills at random instants of the transfer, counted in bytes so that the machine's speed
        // does not matter, until all are spent or the transfer is over.
        var killed = 0
        let instants = (0..<Self.killCount)
            .map { _ in Int.random(in: 0..<Self.imageByteCount, using: &random) }
            .sorted()
        for instant in instants {
            guard await proxy.hasCarried(payloadByteCount: instant, orEnded: sender) else { break }
            if Bool.random(using: &random) {
                try await kill(sender)
                sender = try push(place)
            } else {
                try await kill(receiver)
                receiver = try receive(place)
            }
            killed += 1
        }
        let result = try await sender.end()
        #expect(result.status == 0, "\(result.errors)")
        #expect(killed == Self.killCount, "the transfer ended before the last kill")
        #expect(place.current == bytes)

        let carried = proxy.payloadByteCount
        let extra = carried - Self.imageByteCount
        print("\(killed) kills: \(carried) bytes sent for \(Self.imageByteCount), \(extra) more,")
        print("  \(extra / max(killed, 1)) for each kill; allowed are \(Self.costOfKill)")
        // The manifest counts with the image: it comes with the first session, or again.
        let manifestByteCount = 66 + 2 + 12 + Self.imageByteCount / 4_096 * 16
        #expect(extra <= manifestByteCount + killed * Self.costOfKill)
    }

    private func receive(_ place: ToolDirectory) throws -> RunningTool {
        try RunningTool(
            ["receive", "--listen", place.target, "--store", place.store, "--quiet"],
            in: place
        )
    }

    private func push(_ place: ToolDirectory) throws -> RunningTool {
        try RunningTool(
            [
                "push", place.path("firmware.bin"), "--connect", "unix:\(place.path("proxy"))",
                "--window", "\(Self.windowChunkCount)", "--quiet",
            ],
            in: place
        )
    }

    private func kill(_ tool: RunningTool) async throws {
        tool.send(SIGKILL)
        _ = try await tool.end()
    }
}
