import BLEOTAWire
import Synchronization
import SystemPackage
import Testing

@testable import BLEOTA

@Suite(
    "On a full disk",
    .enabled(if: FullDisk.isPossible, "mounting a small file system needs root")
)
struct FullDiskTests {
    private static let kinds = [StoreKind.directory, .file]
    private static let old = TestTransfer(seed: 300, blockCount: 4)
    /// 100 KiB in blocks of 1 KiB.
    private static let new = TestTransfer(seed: 301, blockCount: 100, blockByteCount: 1_024)
    /// 100 KiB that travel in a few blocks.
    private static let deflated = TestTransfer(
        deflating: (0..<102_400).map { UInt8($0 >> 10 & 3) },
        blockByteCount: 1_024
    )

    //= OBJ-3
    @Test("an image that does not fit is refused before anything is written", arguments: kinds)
    func tooLittle(kind: StoreKind) async throws {
        let disk = try FullDisk()
        let test = try StoreUnderTest(kind, in: disk.path)
        try await Self.old.run(on: test.store)
        _ = try await Self.new.open(on: test.store)
        try await Self.new.sendManifest(to: test.store)
        disk.fill(leaving: 64 << 10)
        let before = FileTree(at: disk.path)

        await expect(.noSpace(bytesFree: 64 << 10)) { _ = try await test.store.acceptManifest() }
        #expect(FileTree(at: disk.path) == before)
        #expect(await test.currentBytes() == Self.old.image)

        disk.empty()
        _ = try await test.store.acceptManifest()
        await test.store.release()
        #expect(try await Self.new.run(on: test.store).manifest.isEmpty)
        #expect(await test.currentBytes() == Self.new.image)
    }

    @Test("a disk that fills up while room is made is noticed then, not later", arguments: kinds)
    func race(kind: StoreKind) async throws {
        let disk = try FullDisk()
        let isArmed = Atomic(false)
        let test = try StoreUnderTest(kind, in: disk.path) { step in
            if case .reserve(let path, _) = step, path.lastComponent == "image",
                isArmed.load(ordering: .relaxed)
            {
                disk.fill(leaving: 64 << 10)
            }
        }
        try await Self.old.run(on: test.store)
        _ = try await Self.new.open(on: test.store)
        try await Self.new.sendManifest(to: test.store)
        isArmed.store(true, ordering: .relaxed)
        do throws(StoreError) {
            _ = try await test.store.acceptManifest()
            Issue.record("there was room for the image on a full disk")
        } catch {
            guard case .noSpace = error.code else { throw error }
        }
        #expect(await test.currentBytes() == Self.old.image)
        isArmed.store(false, ordering: .relaxed)
        disk.empty()
        await test.store.release()
        #expect(try await Self.new.run(on: test.store).manifest.isEmpty)
        #expect(await test.currentBytes() == Self.new.image)
    }

    @Test("what was made room for can be written, whatever else fills the disk", arguments: kinds)
    func reserved(kind: StoreKind) async throws {
        for transfer in [Self.new, Self.deflated] {
            let disk = try FullDisk()
            let test = try StoreUnderTest(kind, in: disk.path)
            try await Self.old.run(on: test.store)
            _ = try await transfer.open(on: test.store)
            try await transfer.sendManifest(to: test.store)
            _ = try await test.store.acceptManifest()
            disk.fill(leaving: 0)
            for (index, block) in transfer.imageBlocks.enumerated() {
                try await test.store.write(block, object: .image, blockIndex: index)
            }
            _ = try await test.store.publish()
            #expect(await test.currentBytes() == transfer.image)
        }
    }

    @Test("there has to be room for what an encoded image becomes", arguments: kinds)
    func tooLittleDecoded(kind: StoreKind) async throws {
        let disk = try FullDisk()
        let test = try StoreUnderTest(kind, in: disk.path)
        _ = try await Self.deflated.open(on: test.store)
        try await Self.deflated.sendManifest(to: test.store)
        disk.fill(leaving: 64 << 10)
        #expect(Self.deflated.manifest.imageByteCount < 32 << 10)
        do throws(StoreError) {
            _ = try await test.store.acceptManifest()
            Issue.record("there was room for the image on a full disk")
        } catch {
            guard case .noSpace = error.code else { throw error }
        }
    }

    @Test("a transfer that can't even begin is refused", arguments: kinds)
    func nothingFree(kind: StoreKind) async throws {
        let disk = try FullDisk()
        let test = try StoreUnderTest(kind, in: disk.path)
        try await Self.old.run(on: test.store)
        disk.fill(leaving: 0)
        await expect(.noSpace(bytesFree: 0)) { _ = try await Self.new.open(on: test.store) }
        #expect(await test.currentBytes() == Self.old.image)
        disk.empty()
        try await Self.new.run(on: test.store)
    }
}
