import BLEOTAManifest
import BLEOTATestSupport
import BLEOTAWire
import Testing

@testable import BLEOTA

/// Blocks that the image before has too are not sent again.
@Suite("Blocks of the current image", .timeLimit(.minutes(1)))
struct AdoptedBlocksTests {
    private let directory = TemporaryDirectory(isInMemory: true)
    private let old = RandomImage(seed: 1, byteCount: 512 << 10)

    private func push(
        _ bytes: [UInt8],
        into store: DirectoryStore
    ) async throws -> TransferReport {
        let image = try Firmware(FirmwareFile(bytes: bytes, name: "image.bin"))
        let report = try await pushing(image, over: loopback(), into: store)
        let current = try #require(try await store.current())
        #expect(current.sha256 == image.manifest.decodedSHA256)
        return report
    }

    @Test("An update that changes 2 % in one place costs less than 8 % of the frames")
    func smallUpdate() async throws {
        let store = try DirectoryStore(directory: directory.path / "store")
        let whole = try await push(old.bytes, into: store)
        var new = old.bytes
        var random = TestSeed(2)
        new.replaceSubrange(100_000..<110_486, with: random.bytes(10_486))
        let update = try await push(new, into: store)
        let share = Double(update.dataFramesSent) / Double(whole.dataFramesSent)
        print("an update of 2 %: \(update.dataFramesSent) of \(whole.dataFramesSent) frames")
        #expect(share < 0.08)
    }

    //= ENC-6
    @Test("So does one of an image that can be compressed, which is sent as it is then")
    func smallUpdateOfCompressible() async throws {
        let store = try DirectoryStore(directory: directory.path / "store")
        let old = old.bytes.map { $0 & 7 }
        let whole = try await push(old, into: store)
        #expect(whole.compression == .zlib)
        var new = old
        for index in 100_000..<110_486 { new[index] ^= 1 }
        let update = try await push(new, into: store)
        #expect(update.compression == .none)
        let share = Double(update.dataByteCount) / Double(whole.dataByteCount)
        print("2 % of what is compressed: \(update.dataByteCount) of \(whole.dataByteCount) bytes")
        #expect(share < 0.08)
        // The one after is mostly new, and goes compressed again.
        let other = try await push(new.map { $0 ^ 5 }, into: store)
        #expect(other.compression == .zlib)
    }

    @Test("Blocks are found wherever they lie, and the last is found only at its length")
    func moved() async throws {
        let store = try DirectoryStore(directory: directory.path / "store")
        let whole = try await push(old.bytes, into: store)
        // Two blocks are put before all others, and the end is cut within one.
        var random = TestSeed(3)
        let new = random.bytes(8_192) + old.bytes.dropLast(100)
        let update = try await push(Array(new), into: store)
        // Three blocks, their manifest, and what P repeats.
        #expect(update.dataFramesSent < whole.dataFramesSent / 20)
    }

    @Test("An image that can't be read any more is sent whole")
    func damaged() async throws {
        let store = try DirectoryStore(directory: directory.path / "store")
        _ = try await push(old.bytes, into: store)
        let path = try #require(try await store.current()?.filePath)
        writeFile(path, [UInt8](repeating: 0, count: 512 << 10))
        var new = old.bytes
        new[0] ^= 1
        let update = try await push(new, into: store)
        #expect(update.dataFramesSent > 2_000)
    }
}
