import BLEOTATestSupport
import Foundation
import Glibc
import Testing

/// How much memory a large image takes at either end.
@Suite("Memory", .serialized, .timeLimit(.minutes(10)))
struct MemoryTests {
    private static let limit = 64 << 20
    private static let byteCount = 1 << 30

    @Test("An image of 1 GiB goes from one process to another in less than 64 MiB each")
    func largeImage() async throws {
        let place = ToolDirectory()
        let image = place.path("large.bin")
        try Self.makeImage(image)
        let receiver = try await place.receiver()
        let begin = ContinuousClock.now
        let push = try await RunningTool(
            ["push", image, "--connect", place.target, "--mtu", "517", "--json"],
            in: place
        ).end(within: 550)
        let duration = begin.duration(to: .now)
        #expect(push.status == 0, "\(push.errors)")
        #expect(push.events.last?.number("bytes") == Self.byteCount)
        receiver.send(SIGTERM)
        let stored = try await receiver.end()
        #expect(stored.events.contains { $0.number("bytes") == Self.byteCount })
        print(
            "\(Self.byteCount >> 20) MiB between two processes in \(duration): peak resident set "
                + "\(push.peakByteCount >> 20) MiB at the sender, "
                + "\(stored.peakByteCount >> 20) MiB at the receiver"
        )
        #expect(push.peakByteCount < Self.limit)
        #expect(stored.peakByteCount < Self.limit)
    }

    /// A sparse file, each MiB of which begins with its number.
    private static func makeImage(_ path: String) throws {
        _ = FileManager.default.createFile(atPath: path, contents: nil)
        let file = try #require(FileHandle(forWritingAtPath: path))
        try file.truncate(atOffset: UInt64(byteCount))
        for number in 0..<byteCount >> 20 {
            try file.seek(toOffset: UInt64(number) << 20)
            try file.write(contentsOf: withUnsafeBytes(of: number) { Data($0) })
        }
        try file.close()
    }
}
