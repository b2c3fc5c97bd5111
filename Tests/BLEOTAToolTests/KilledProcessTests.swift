import BLEOTA
import Foundation
import SystemPackage
import Testing

/// Kills real processes with SIGKILL in the middle of one transfer, again and again.
@Suite("A transfer whose processes are killed", .serialized)
struct KilledProcessTests {
    /// What one kill may cost: the block that was incomplete, and what was in flight. The window is
    /// fixed, so that the latter has a bound: 32 chunks, and as many again that the proxy holds.
    private static let windowChunkCount = 32
    private static let costOfKill = 4_096 + 2 * windowChunkCount * 240

    private static let killCount = 50
    private static let imageByteCount = 4 << 20

    @Test("ends verified, and sends at most a block and the frames in flight again for each kill")
    func killed() async throws {
        let seed = ToolRun.seed("BLEOTA_KILL_SEED")
        print("BLEOTA_KILL_SEED=\(seed) repeats the instants of the kills")
        var generator = SeededGenerator(seed: seed)
        let folder = try Folder()
        let bytes = (0..<Self.imageByteCount).map { _ in
            UInt8.random(in: .min ... .max, using: &generator)
        }
        try folder.write(bytes, to: "firmware.bin")

        let proxy = try CountingProxy(
            listening: folder.path("proxy.socket"),
            forwardingTo: folder.path("device.socket")
        )
        let serving = Task { await proxy.run() }
        defer { serving.cancel() }
        var receiver = try ToolRun.receive(folder)
        var sender = try ToolRun.push(folder, window: Self.windowChunkCount)
        defer {
            sender.kill()
            receiver.kill()
        }

        // Kills at random instants of the transfer, counted in bytes so that the machine's speed
        // does not matter, until all are spent or the transfer is over.
        var killed = 0
        let instants = (0..<Self.killCount)
            .map { _ in Int.random(in: 0..<Self.imageByteCount, using: &generator) }
            .sorted()
        for instant in instants {
            guard await proxy.hasCarried(payloadByteCount: instant, orEnded: sender) else { break }
            if Bool.random(using: &generator) {
                sender.kill()
                sender = try ToolRun.push(folder, window: Self.windowChunkCount)
            } else {
                receiver.kill()
                receiver = try ToolRun.receive(folder)
            }
            killed += 1
        }
        let status = await sender.ended()
        #expect(status == 0, "\(sender.errors)")
        #expect(killed == Self.killCount, "the transfer ended before the last kill")
        #expect(try folder.read("store/current/image") == bytes)

        let carried = proxy.payloadByteCount
        let extra = carried - Self.imageByteCount
        print("\(killed) kills: \(carried) bytes sent for \(Self.imageByteCount), \(extra) more,")
        print("  \(extra / max(killed, 1)) for each kill; allowed are \(Self.costOfKill)")
        // The manifest counts with the image: it comes with the first session, or again.
        let manifestByteCount = 66 + 2 + 12 + Self.imageByteCount / 4_096 * 16
        #expect(extra <= manifestByteCount + killed * Self.costOfKill)
    }
}
