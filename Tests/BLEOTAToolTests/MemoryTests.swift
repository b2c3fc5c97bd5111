import BLEOTATestSupport
import Foundation
import Glibc
import Testing

/// How much memory a large image takes at either end.
@Suite("Memory", .serialized, .timeLimit(.minutes(10)))
struct MemoryTests {
    private static let limit = 64 << 20
    /// A GiB in `make check`.
    private static let byteCount = TestScope.choose(1 << 27, full: 1 << 30)

    @Test("An image of 128 MiB and more goes from one process to another in less than 64 MiB each")
    func largeImage() async throws {
        let place = ToolDirectory()
        let image = place.path("large.bin")
        try Self.makeImage(image)
        let receiver = try await place.receiver("--max-size", "1G")
        let begin = ContinuousClock.now
        let (push, pushPeak) = try await RunningTool(
            ["push", image, "--connect", place.target, "--mtu", "517", "--json"],
            in: place
        ).endAndPeak(within: 550)
        let duration = begin.duration(to: .now)
        #expect(push.status == 0, "\(push.errors)")
        #expect(push.events.last?.number("bytes") == Self.byteCount)
        // The push ends when the image is stored. Nothing is known of a process that has ended.
        let storedPeak = receiver.peakResidentByteCount
        receiver.send(SIGTERM)
        let stored = try await receiver.end(within: 120)
        #expect(stored.events.contains { $0.number("bytes") == Self.byteCount })
        print(
            "\(Self.byteCount >> 20) MiB between two processes in \(duration): peak resident set "
                + "\(pushPeak >> 20) MiB at the sender, "
                + "\(storedPeak >> 20) MiB at the receiver"
        )
        #expect(pushPeak > 1 << 20 && pushPeak < Self.limit)
        #expect(storedPeak > 1 << 20 && storedPeak < Self.limit)
    }

    @Test("A loopback without a file to keep the image in takes less than 64 MiB")
    func loopback() async throws {
        let place = ToolDirectory()
        let image = place.path("large.bin")
        try Self.makeImage(image, byteCount: 128 << 20)
        let (push, peak) = try await RunningTool(
            ["push", image, "--loopback", "--mtu", "517", "--json"],
            in: place
        ).endAndPeak(within: 120)
        #expect(push.status == 0, "\(push.errors)")
        #expect(peak > 1 << 20 && peak < Self.limit, "\(peak >> 20) MiB")
    }

    /// A sparse file, each MiB of which begins with its number.
    private static func makeImage(_ path: String, byteCount: Int = byteCount) throws {
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

extension RunningTool {
    /// Waits until the process has ended, and tells the largest resident set that was seen of it.
    fileprivate func endAndPeak(within seconds: Int) async throws -> (ToolResult, Int) {
        var peakByteCount = 0
        let result = try await end(within: seconds) {
            peakByteCount = max(peakByteCount, peakResidentByteCount)
        }
        return (result, peakByteCount)
    }
}
