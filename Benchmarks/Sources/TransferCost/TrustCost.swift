import BLEOTA
import Glibc

/// What a signature and the hashes of blocks add to a transfer of 512 KiB with ATT_MTU 247: bytes
/// to send, and CPU time at the receiver.
struct TrustCost {
    private static let imageByteCount = 512 << 10
    private static let runCount = 101
    /// Of a data frame with ATT_MTU 247.
    private static let chunkByteCount = 240

    private let prepared: Firmware
    private let key = SigningKey.generate()
    private let blocks: [[UInt8]]

    init() throws {
        var generator = SeededGenerator(seed: 2)
        let bytes = (0..<Self.imageByteCount).map { _ in
            UInt8(truncatingIfNeeded: generator.next())
        }
        var restrictions = ImageRestrictions()
        restrictions.hardware = HardwareRange(name: "acme/lamp", revisions: 2...5)
        restrictions.counter = 7
        prepared = try Firmware(
            FirmwareFile(bytes: bytes, name: "firmware.bin"),
            version: "2.1.0",
            restrictions: restrictions,
            signedBy: [key]
        )
        let blockByteCount = prepared.manifest.blockByteCount
        blocks = stride(from: 0, to: bytes.count, by: blockByteCount).map {
            Array(bytes[$0..<min($0 + blockByteCount, bytes.count)])
        }
    }

    func tell(_ spread: ([Double]) -> String) {
        let manifest = prepared.manifest
        let frames = Self.frameCount(manifest.bytes.count)
        let all = frames + Self.frameCount(Self.imageByteCount)
        let hundredths = frames * 10_000 / all
        print(
            "signed, 512 KiB      manifest of \(manifest.bytes.count) bytes: \(frames) of \(all) "
                + "frames (\(hundredths / 100).\(hundredths % 100 / 10)\(hundredths % 10) %)"
        )
        // The first warms up caches and is not counted.
        let times = (0...Self.runCount).map { _ in milliseconds() }.dropFirst().sorted()
        print("CPU to check it      \(spread(Array(times))) ms: a signature and 128 block hashes")
    }

    private static func frameCount(_ byteCount: Int) -> Int {
        (byteCount + chunkByteCount - 1) / chunkByteCount
    }

    /// The CPU time of what a receiver does with the signature and each block.
    private func milliseconds() -> Double {
        let before = Self.cpuMilliseconds()
        let isSigned = prepared.manifest.isSigned(by: key.verifyingKey)
        let areRight = blocks.enumerated().allSatisfy { index, block in
            prepared.manifest.matches(block.span.bytes, blockIndex: index)
        }
        let after = Self.cpuMilliseconds()
        precondition(isSigned && areRight, "what was signed here is right")
        return after - before
    }

    private static func cpuMilliseconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1_000 + Double(time.tv_nsec) / 1_000_000
    }
}
