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

    // MARK: - What gives way

    /// An older push of the same sender, perhaps, which was killed.
    @Test("an unfinished transfer gives way to another that has no room", arguments: kinds)
    func unfinished(kind: StoreKind) async throws {
        let disk = try FullDisk()
        let test = try StoreUnderTest(kind, in: disk.path)
        try await Self.new.begin(blockCount: 100, on: test.store)
        let next = TestTransfer(seed: 302, blockCount: 150, blockByteCount: 1_024)
        _ = try await next.run(on: test.store)
        #expect(await test.currentBytes() == next.image)
    }

    @Test("and so does one of which the manifest alone takes the room", arguments: kinds)
    func announced(kind: StoreKind) async throws {
        let disk = try FullDisk()
        let test = try StoreUnderTest(kind, in: disk.path, imageByteCountLimit: 16 << 20)
        let large = TestTransfer(seed: 303, blockCount: 9_000, blockByteCount: 1_024)
        _ = try await large.open(on: test.store)
        for (index, block) in large.manifestBlocks.enumerated() {
            try await test.store.write(block, object: .manifest, blockIndex: index)
        }
        await test.store.release()
        #expect(disk.bytesFree < 120 << 10)
        _ = try await Self.new.run(on: test.store)
        #expect(await test.currentBytes() == Self.new.image)
    }

    @Test("one that a trusted key signed gives way only to another such", arguments: kinds)
    func signed(kind: StoreKind) async throws {
        let disk = try FullDisk()
        let test = try StoreUnderTest(kind, in: disk.path)
        let next = TestTransfer(seed: 304, blockCount: 150, blockByteCount: 1_024)
        try await Self.new.begin(blockCount: 2, on: test.store) { $0.tag == Self.new.tag }

        // It has not yet taken what it needs, and finds it whatever others announce.
        await #expect(throws: StoreError.self) {
            try await next.begin(blockCount: 150, on: test.store) { $0.tag == Self.new.tag }
        }
        await test.store.release()
        #expect(try await Self.new.run(on: test.store).image.count == 98)

        try await Self.old.begin(blockCount: 2, on: test.store) { _ in true }
    }

    @Test("nothing gives way where even that makes no room", arguments: kinds)
    func inVain(kind: StoreKind) async throws {
        let disk = try FullDisk()
        let test = try StoreUnderTest(kind, in: disk.path)
        try await Self.new.begin(blockCount: 90, on: test.store)
        let huge = TestTransfer(seed: 305, blockCount: 400, blockByteCount: 1_024)
        await #expect(throws: StoreError.self) {
            try await huge.begin(blockCount: 0, on: test.store) { _ in true }
        }
        await test.store.release()
        #expect(try await Self.new.run(on: test.store).image.count == 10)
    }
}
