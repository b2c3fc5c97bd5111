import BLEOTA
import BLEOTAManifest
import BLEOTAWire
import Glibc
import SystemPackage
import Testing

@Suite("Every store")
struct StoreConformanceTests {
    @Test("makes a fresh transfer current, and says what it stored", arguments: StoreKind.allCases)
    func fresh(kind: StoreKind) async throws {
        let directory = TemporaryDirectory()
        let test = try StoreUnderTest(kind, in: directory.path)
        let transfer = TestTransfer(seed: 1)

        guard case .manifest(0) = try await transfer.open(on: test.store) else {
            Issue.record("something is held of a transfer that never began")
            return
        }
        try await transfer.sendManifest(to: test.store)
        let accepted = try await test.store.acceptManifest()
        #expect(accepted.manifest == transfer.manifest)
        #expect(accepted.held == Array(repeating: false, count: 6))
        #expect(await test.currentBytes() == nil)

        for (index, block) in transfer.imageBlocks.enumerated() {
            try await test.store.write(block, object: .image, blockIndex: index)
        }
        try await test.store.synchronize()
        #expect(await test.currentBytes() == nil)
        let stored = try await test.store.publish()

        #expect(await test.currentBytes() == transfer.image)
        #expect(stored.sha256 == transfer.manifest.sha256)
        #expect(stored.byteCount == transfer.image.count)
        #expect(stored.manifest == transfer.manifest)
        if let path = stored.filePath { #expect(readFile(path) == transfer.image) }
        #expect((stored.path == nil) == (kind == .memory))
    }

    @Test(
        "takes images of one byte, of a whole block, and a byte around it",
        arguments: StoreKind.allCases
    )
    func sizes(kind: StoreKind) async throws {
        let directory = TemporaryDirectory()
        let test = try StoreUnderTest(kind, in: directory.path)
        for byteCount in [1, 255, 256, 257, 512] {
            let transfer = TestTransfer(image: (0..<byteCount).map { UInt8($0 & 0xFF) })
            try await transfer.run(on: test.store)
            #expect(await test.currentBytes() == transfer.image)
        }
    }

    //= END-6
    @Test(
        "goes on after every number of blocks, asking for none that it has",
        arguments: StoreKind.allCases
    )
    func resume(kind: StoreKind) async throws {
        let transfer = TestTransfer(seed: 2)
        for count in 0...transfer.imageBlocks.count {
            let directory = TemporaryDirectory(isInMemory: true)
            let test = try StoreUnderTest(kind, in: directory.path)
            _ = try await transfer.open(on: test.store)
            try await transfer.sendManifest(to: test.store)
            _ = try await test.store.acceptManifest()
            for index in 0..<count {
                try await test.store.write(
                    transfer.imageBlocks[index],
                    object: .image,
                    blockIndex: index
                )
            }
            try await test.store.synchronize()

            try await test.reopen()
            let asked = try await transfer.run(on: test.store)
            #expect(asked.manifest.isEmpty)
            #expect(asked.image == Set(count..<6))
            #expect(await test.currentBytes() == transfer.image)
        }
    }

    //= END-6
    @Test("goes on within the manifest", arguments: StoreKind.allCases)
    func resumeManifest(kind: StoreKind) async throws {
        let transfer = TestTransfer(seed: 3)
        try #require(transfer.manifestBlocks.count == 2)
        for written in [[], [0], [1], [0, 1]] {
            let directory = TemporaryDirectory(isInMemory: true)
            let test = try StoreUnderTest(kind, in: directory.path)
            _ = try await transfer.open(on: test.store)
            for index in written {
                try await test.store.write(
                    transfer.manifestBlocks[index],
                    object: .manifest,
                    blockIndex: index
                )
            }
            try await test.store.synchronize()

            try await test.reopen()
            let asked = try await transfer.run(on: test.store)
            // What is held counts from the beginning, so that block 1 alone is asked for again.
            #expect(
                asked.manifest == (written == [1] ? [0, 1] : Set([0, 1]).subtracting(written))
            )
            #expect(await test.currentBytes() == transfer.image)
        }
    }

    @Test("takes blocks in any order and more than once", arguments: StoreKind.allCases)
    func order(kind: StoreKind) async throws {
        let transfer = TestTransfer(seed: 4)
        for seed in UInt64(0)..<20 {
            var random = SeededRandom(seed: seed)
            let directory = TemporaryDirectory(isInMemory: true)
            let test = try StoreUnderTest(kind, in: directory.path)
            _ = try await transfer.open(on: test.store)
            for index in [1, 0, 1] {
                try await test.store.write(
                    transfer.manifestBlocks[index],
                    object: .manifest,
                    blockIndex: index
                )
            }
            _ = try await test.store.acceptManifest()
            for index in (Array(0..<6) + [0, 3, 3, 5]).shuffled(using: &random) {
                try await test.store.write(
                    transfer.imageBlocks[index],
                    object: .image,
                    blockIndex: index
                )
                if Bool.random(using: &random) { try await test.store.synchronize() }
            }
            _ = try await test.store.publish()
            #expect(await test.currentBytes() == transfer.image, "seed \(seed)")
        }
    }

    //= OBJ-2
    @Test(
        "drops a manifest that is not the one announced, and takes the right one",
        arguments: StoreKind.allCases
    )
    func wrongManifest(kind: StoreKind) async throws {
        let directory = TemporaryDirectory()
        let test = try StoreUnderTest(kind, in: directory.path)
        let transfer = TestTransfer(seed: 5)
        let other = TestTransfer(seed: 6)

        _ = try await transfer.open(on: test.store)
        for attempt in 1...3 {
            try await other.sendManifest(to: test.store)
            await expect(.manifestMismatch, "attempt \(attempt)") {
                _ = try await test.store.acceptManifest()
            }
        }
        await test.store.release()
        #expect(try await transfer.run(on: test.store).manifest == [0, 1])
        #expect(await test.currentBytes() == transfer.image)
    }

    //= OBJ-2
    @Test(
        "refuses another length for a manifest that it holds, and keeps it",
        arguments: StoreKind.allCases
    )
    func wrongManifestLength(kind: StoreKind) async throws {
        let directory = TemporaryDirectory()
        let test = try StoreUnderTest(kind, in: directory.path)
        let transfer = TestTransfer(seed: 7)
        _ = try await transfer.open(on: test.store)
        try await transfer.sendManifest(to: test.store)
        _ = try await test.store.acceptManifest()
        await test.store.release()

        await expect(.manifestMismatch) {
            _ = try await test.store.open(transfer.tag, manifestByteCount: 66)
        }
        let asked = try await transfer.run(on: test.store)
        #expect(asked.manifest.isEmpty)
        await expect(.manifestMismatch) {
            _ = try await test.store.open(transfer.tag, manifestByteCount: 66)
        }
        #expect(await test.currentBytes() == transfer.image)
    }

    //= OBJ-3
    @Test(
        "refuses bad manifests before it makes room, and keeps the current image",
        arguments: StoreKind.allCases
    )
    func refusals(kind: StoreKind) async throws {
        let directory = TemporaryDirectory()
        let test = try StoreUnderTest(kind, in: directory.path, imageByteCountLimit: 2_000)
        let old = TestTransfer(seed: 8, blockCount: 4)
        try await old.run(on: test.store)

        var malformed = old.manifest.bytes
        malformed[ManifestLayout.magic.lowerBound] = 0
        var unknown = old.manifest.bytes
        unknown[ManifestLayout.attributes] = 0x9F
        // With the first attribute changed the order is wrong as well, but further on.
        let large = TestTransfer(seed: 9, blockCount: 8)
        let refusals: [([UInt8], StoreError.Code)] = [
            (malformed, .malformedManifest), (unknown, .unknownAttribute(type: 0x9F)),
            (large.manifest.bytes, .tooLarge(limit: 2_000)),
        ]
        for (manifest, code) in refusals {
            _ = try await test.store.open(
                TransferTag(hashing: manifest),
                manifestByteCount: manifest.count
            )
            for (index, start) in stride(from: 0, to: manifest.count, by: 4_096).enumerated() {
                let block = Array(manifest[start..<min(start + 4_096, manifest.count)])
                try await test.store.write(block, object: .manifest, blockIndex: index)
            }
            await expect(code) { _ = try await test.store.acceptManifest() }
            let images = FileTree(at: directory.path).nodes.keys.filter { $0.hasSuffix("/image") }
            #expect(images.count == (kind == .directory ? 1 : 0))
            await test.store.discard()
            #expect(await test.currentBytes() == old.image)
        }
    }

    //= OBJ-6
    @Test(
        "does not publish a wrong block, and asks for that one alone",
        arguments: StoreKind.allCases
    )
    func wrongBlock(kind: StoreKind) async throws {
        let directory = TemporaryDirectory()
        let test = try StoreUnderTest(kind, in: directory.path)
        let old = TestTransfer(seed: 10)
        try await old.run(on: test.store)
        let transfer = TestTransfer(seed: 11)
        _ = try await transfer.open(on: test.store)
        try await transfer.sendManifest(to: test.store)
        _ = try await test.store.acceptManifest()
        for (index, block) in transfer.imageBlocks.enumerated() {
            let bytes = index == 3 ? block.map { ~$0 } : block
            try await test.store.write(bytes, object: .image, blockIndex: index)
        }

        await expect(.storeFailed(errno: 5)) { _ = try await test.store.publish() }
        #expect(await test.currentBytes() == old.image)
        try await test.reopen()
        #expect(try await transfer.run(on: test.store).image == [3])
        #expect(await test.currentBytes() == transfer.image)
    }

    //= OBJ-6
    @Test("discards an image whose manifest contradicts itself", arguments: StoreKind.allCases)
    func wrongImage(kind: StoreKind) async throws {
        let directory = TemporaryDirectory()
        let test = try StoreUnderTest(kind, in: directory.path)
        let transfer = TestTransfer(seed: 12)
        var bytes = transfer.manifest.bytes
        bytes[ManifestLayout.sha256.lowerBound] ^= 1
        let manifest = try Manifest(bytes: bytes)

        for _ in 0..<2 {
            guard
                case .manifest(0) = try await test.store.open(
                    manifest.tag,
                    manifestByteCount: bytes.count
                )
            else {
                Issue.record("something is held of a transfer that was discarded")
                return
            }
            for (index, start) in stride(from: 0, to: bytes.count, by: 4_096).enumerated() {
                let block = Array(bytes[start..<min(start + 4_096, bytes.count)])
                try await test.store.write(block, object: .manifest, blockIndex: index)
            }
            _ = try await test.store.acceptManifest()
            for (index, block) in transfer.imageBlocks.enumerated() {
                try await test.store.write(block, object: .image, blockIndex: index)
            }
            await expect(.imageMismatch) { _ = try await test.store.publish() }
            #expect(await test.currentBytes() == nil)
        }
    }

    @Test("knows the image that is current when it comes again", arguments: StoreKind.allCases)
    func currentAgain(kind: StoreKind) async throws {
        let directory = TemporaryDirectory()
        let test = try StoreUnderTest(kind, in: directory.path)
        let transfer = TestTransfer(seed: 13)
        let stored = try await transfer.run(on: test.store).stored
        guard case .current(let again) = try await transfer.open(on: test.store) else {
            Issue.record("the current image is not known")
            return
        }
        #expect(again == stored)

        // That answer does not hold the store.
        let other = TestTransfer(seed: 14)
        try await other.run(on: test.store)
        #expect(await test.currentBytes() == other.image)
    }

    @Test("keeps one transfer while another goes on", arguments: [StoreKind.memory, .directory])
    func twoTransfers(kind: StoreKind) async throws {
        let directory = TemporaryDirectory()
        let test = try StoreUnderTest(kind, in: directory.path)
        let first = TestTransfer(seed: 15)
        let second = TestTransfer(seed: 16)
        try await begin(first, on: test.store)
        try await second.run(on: test.store)
        #expect(await test.currentBytes() == second.image)
        #expect(try await first.run(on: test.store).image == Set(1..<6))
        #expect(await test.currentBytes() == first.image)
    }

    @Test(
        "is busy while a transfer is open, and not after its release",
        arguments: StoreKind.allCases
    )
    func busy(kind: StoreKind) async throws {
        let directory = TemporaryDirectory()
        let test = try StoreUnderTest(kind, in: directory.path)
        let first = TestTransfer(seed: 17)
        let second = TestTransfer(seed: 18)
        _ = try await first.open(on: test.store)
        await expect(.busy) { _ = try await second.open(on: test.store) }
        await expect(.busy) { _ = try await first.open(on: test.store) }
        await test.store.release()
        try await second.run(on: test.store)
    }

    @Test("forgets what is discarded, and nothing else", arguments: StoreKind.allCases)
    func discard(kind: StoreKind) async throws {
        let directory = TemporaryDirectory()
        let test = try StoreUnderTest(kind, in: directory.path)
        let old = TestTransfer(seed: 19)
        try await old.run(on: test.store)
        let transfer = TestTransfer(seed: 20)
        let other = TestTransfer(seed: 30)
        try await begin(transfer, on: test.store)
        try await begin(other, on: test.store)
        _ = try await transfer.open(on: test.store)
        await test.store.discard()
        await test.store.discard()
        await test.store.release()

        #expect(await test.currentBytes() == old.image)
        guard case .image(_, let held) = try await other.open(on: test.store) else {
            Issue.record("another transfer was forgotten as well")
            return
        }
        #expect(held[0])
        await test.store.release()
        let asked = try await transfer.run(on: test.store)
        #expect(asked.manifest == [0, 1])
        #expect(asked.image == Set(0..<6))
    }

    @Test(
        "keeps four unfinished transfers and gives up the one opened longest ago",
        arguments: StoreKind.allCases
    )
    func bounded(kind: StoreKind) async throws {
        let directory = TemporaryDirectory()
        let test = try StoreUnderTest(kind, in: directory.path)
        let transfers = (0..<5).map { TestTransfer(seed: 21 + $0) }
        for transfer in transfers[..<4] { try await begin(transfer, on: test.store) }
        // Number 0 is used again, so that number 1 is the oldest.
        setTimes(of: transfers[..<4], in: directory.path)
        _ = try await transfers[0].open(on: test.store)
        await test.store.release()
        try await begin(transfers[4], on: test.store)

        for (index, transfer) in transfers.enumerated() where index != 1 {
            guard case .image(_, let held) = try await transfer.open(on: test.store) else {
                Issue.record("transfer \(index) is gone")
                continue
            }
            #expect(held == [true] + Array(repeating: false, count: 5))
            await test.store.release()
        }
        guard case .manifest(0) = try await transfers[1].open(on: test.store) else {
            Issue.record("the oldest of five transfers is still held")
            return
        }
    }

    /// Brings the manifest and the first block of a transfer and leaves it.
    private func begin(_ transfer: TestTransfer, on store: any ImageStore) async throws {
        _ = try await transfer.open(on: store)
        try await transfer.sendManifest(to: store)
        _ = try await store.acceptManifest()
        try await store.write(transfer.imageBlocks[0], object: .image, blockIndex: 0)
        try await store.synchronize()
        await store.release()
    }
}

/// Expects a store to fail with `code`, and to say so in a sentence with a remedy.
func expect(
    _ code: StoreError.Code,
    _ comment: Comment? = nil,
    at location: SourceLocation = #_sourceLocation,
    _ body: () async throws -> Void
) async {
    do {
        try await body()
        Issue.record("no error, expected \(code)", sourceLocation: location)
    } catch let error as StoreError {
        #expect(error.code == code, comment, sourceLocation: location)
        #expect(error.message.contains(";"), comment, sourceLocation: location)
    } catch {
        Issue.record(error, comment, sourceLocation: location)
    }
}

/// Puts the directories of unfinished transfers a second apart, in this order, an hour ago.
private func setTimes(of transfers: ArraySlice<TestTransfer>, in root: FilePath) {
    for (name, node) in FileTree(at: root).nodes where node == .directory {
        guard let age = transfers.firstIndex(where: { name.hasSuffix($0.tag.hex) }) else {
            continue
        }
        let moment = timespec(tv_sec: time(nil) - 3_600 + age, tv_nsec: 0)
        utimensat(AT_FDCWD, "\(root.string)/\(name)", [moment, moment], 0)
    }
}
