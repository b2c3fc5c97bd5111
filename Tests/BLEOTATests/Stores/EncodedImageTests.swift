import BLEOTACore
import BLEOTAManifest
import BLEOTATestSupport
import BLEOTAWire
import Crypto
import Testing

@testable import BLEOTA

/// Images that travel encoded, as every store makes them current.
@Suite("Encoded images in stores")
struct EncodedImageTests {
    private static let image: [UInt8] = (0..<5_000).map { UInt8($0 / 7 & 0x1F) }

    private func store(_ kind: StoreKind) throws -> (StoreUnderTest, TemporaryDirectory) {
        let directory = TemporaryDirectory(isInMemory: true)
        return (try StoreUnderTest(kind, in: directory.path), directory)
    }

    @Test("A compressed image is current as it was before", arguments: StoreKind.allCases)
    func zlib(kind: StoreKind) async throws {
        let (test, directory) = try store(kind)
        let transfer = TestTransfer(deflating: Self.image, blockByteCount: 256)
        #expect(transfer.manifest.imageByteCount < Self.image.count / 4)
        let run = try await transfer.run(on: test.store)
        #expect(await test.currentBytes() == Self.image)
        #expect(run.stored.byteCount == Self.image.count)
        #expect(run.stored.sha256 == Array(SHA256.hash(data: Self.image)))
        // Nothing is sent again.
        let again = try await transfer.run(on: test.store)
        #expect(again.image.isEmpty)
        #expect(again.stored.byteCount == Self.image.count)
        withExtendedLifetime(directory) {}
    }

    //= ENC-2
    //= ENC-3
    @Test(
        "What does not become the image is refused, and what was current stays",
        arguments: StoreKind.allCases,
        Fault.allCases
    )
    func faults(kind: StoreKind, fault: Fault) async throws {
        let (test, directory) = try store(kind)
        let old = TestTransfer(seed: 1)
        try await old.run(on: test.store)
        let wrong = fault.transfer(of: Self.image)
        do throws(StoreError) {
            try await wrong.run(on: test.store)
            Issue.record("it is current")
        } catch {
            #expect(error.code == .imageMismatch)
        }
        #expect(await test.currentBytes() == old.image)
        // It was forgotten, and the store goes on.
        guard case .manifest(0) = try await wrong.open(on: test.store) else {
            Issue.record("it is still held")
            return
        }
        await test.store.release()
        try await TestTransfer(deflating: Self.image, blockByteCount: 256).run(on: test.store)
        #expect(await test.currentBytes() == Self.image)
        withExtendedLifetime(directory) {}
    }

    enum Fault: CaseIterable {
        case damaged, cutShort, goesOn, tooLong, tooShort, bomb, otherHash, nothing

        fileprivate func transfer(of image: [UInt8]) -> TestTransfer {
            let encoded = deflated(image)
            return switch self {
            case .damaged: TestTransfer(image, travellingAs: damaged(encoded), .zlib)
            case .cutShort: TestTransfer(image, travellingAs: encoded.dropLast(5), .zlib)
            case .goesOn: TestTransfer(image, travellingAs: encoded + [0], .zlib)
            case .tooLong: TestTransfer(image.dropLast(), travellingAs: encoded, .zlib)
            case .tooShort: TestTransfer(image + [0], travellingAs: encoded, .zlib)
            case .bomb:
                TestTransfer(
                    [1],
                    travellingAs: deflated([UInt8](repeating: 0, count: 1 << 24)),
                    .zlib
                )
            case .otherHash:
                TestTransfer(
                    image,
                    travellingAs: encoded,
                    .zlib,
                    sha256: Array(repeating: 1, count: 32)
                )
            case .nothing: TestTransfer(image, travellingAs: [0], .zlib)
            }
        }

        private func deflated(_ image: [UInt8]) -> [UInt8] {
            Deflater.deflate(image, byteCountMax: .max)!
        }

        private func damaged(_ encoded: [UInt8]) -> [UInt8] {
            var encoded = encoded
            encoded[encoded.count / 2] ^= 0x55
            return encoded
        }
    }

    //= ENC-1
    @Test(
        "What is not stored as it arrived is not decoded",
        arguments: [StoreKind.directory, .file]
    )
    func damagedOnDisk(kind: StoreKind) async throws {
        let (test, directory) = try store(kind)
        var random = TestSeed(3)
        let image = random.bytes(5_000).map { $0 & 3 }
        let transfer = TestTransfer(deflating: image, blockByteCount: 256)
        _ = try await transfer.open(on: test.store)
        try await transfer.sendManifest(to: test.store)
        _ = try await test.store.acceptManifest()
        for (index, block) in transfer.imageBlocks.enumerated() {
            try await test.store.write(block, object: .image, blockIndex: index)
        }
        try await test.store.synchronize()
        let place = kind == .directory ? "store/incoming" : ".output.bleota"
        let file = directory.path / "\(place)/\(transfer.tag.hex)/encoded"
        var bytes = try #require(readFile(file))
        bytes[300] ^= 1
        writeFile(file, bytes)
        do throws(StoreError) {
            _ = try await test.store.publish()
            Issue.record("it is current")
        } catch {
            #expect(error.code == .storeFailed(errno: 5))
        }
        await test.store.release()
        // Only what was wrong is sent again.
        let again = try await transfer.run(on: test.store)
        #expect(again.image == [1])
        #expect(await test.currentBytes() == image)
    }

    @Test("An image that becomes too large is refused before anything of it is sent")
    func limit() async throws {
        let store = MemoryStore(imageByteCountLimit: 2_000)
        let transfer = TestTransfer(deflating: Self.image, blockByteCount: 256)
        #expect(transfer.manifest.imageByteCount < 2_000)
        _ = try await transfer.open(on: store)
        try await transfer.sendManifest(to: store)
        do throws(StoreError) {
            _ = try await store.acceptManifest()
            Issue.record("there is no room for it")
        } catch {
            #expect(error.code == .tooLarge(limit: 2_000))
        }
    }

    @Test("An update that is not encoded takes blocks from an image that was")
    func adopted() async throws {
        let (test, directory) = try store(.directory)
        let big: [UInt8] = (0..<20_000).map { UInt8(truncatingIfNeeded: $0 * $0 >> 6) }
        try await TestTransfer(deflating: big, blockByteCount: 256).run(on: test.store)
        var changed = big
        changed[5_000] ^= 1
        let asked = try await TestTransfer(image: changed).run(on: test.store).image
        #expect(asked == [5_000 / 256])
        #expect(await test.currentBytes() == changed)
        withExtendedLifetime(directory) {}
    }

    #if Delta
    @Test("A patch makes the new image of the current one", arguments: StoreKind.allCases)
    func patch(kind: StoreKind) async throws {
        let (test, directory) = try store(kind)
        var random = TestSeed(5)
        let old = random.bytes(30_000)
        var new = old
        new.insert(contentsOf: random.bytes(100), at: 10_000)
        new[20_000] ^= 1
        try await TestTransfer(image: old).run(on: test.store)
        #expect(try await test.store.status().currentSHA256 == Array(SHA256.hash(data: old)))
        let patch = Patch.make(of: new, from: old)
        #expect(patch.count < 400, "\(patch.count)")
        let transfer = TestTransfer(new, travellingAs: patch, .patch, base: old)
        try await transfer.run(on: test.store)
        #expect(await test.currentBytes() == new)
        // A patch against what is no longer there can't be applied.
        let late = TestTransfer(old + [1], travellingAs: patch, .patch, base: old)
        do throws(StoreError) {
            try await late.run(on: test.store)
            Issue.record("it is current")
        } catch {
            #expect(error.code == .refused(ManifestRefusal(.wrongBase)))
        }
        #expect(await test.currentBytes() == new)
        withExtendedLifetime(directory) {}
    }
    #endif
}
