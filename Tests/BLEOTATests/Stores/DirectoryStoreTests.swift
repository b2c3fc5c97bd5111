import BLEOTAWire
import Dispatch
import Synchronization
import SystemPackage
import Testing

@testable import BLEOTA

@Suite("A directory store")
struct DirectoryStoreTests {
    private let directory = TemporaryDirectory()
    private var root: FilePath { directory.path / "store" }

    @Test("keeps the image before the current one, and none before that")
    func previous() async throws {
        let transfers = (0..<4).map { TestTransfer(seed: 400 + $0, blockCount: 3) }
        let test = try StoreUnderTest(.directory, in: directory.path)
        for (index, transfer) in transfers.enumerated() {
            try await transfer.run(on: test.store)
            #expect(readFile(root / "current/image") == transfer.image)
            #expect(readFile(root / "current/manifest") == transfer.manifest.bytes)
            let previous = readFile(root / "previous/image")
            #expect(previous == (index > 0 ? transfers[index - 1].image : nil))
        }
        let images = FileTree(at: root / "images").nodes.keys.filter { !$0.contains("/") }
        #expect(Set(images) == Set(transfers.suffix(2).map(\.tag.hex)))
        #expect(FileTree(at: root / "incoming").nodes.isEmpty)
    }

    /// Anybody could take away the image to go back to, by one more signature of any kind, which no
    /// signature covers.
    @Test("keeps the image before where the same image comes under another manifest")
    func sameImage() async throws {
        let first = TestTransfer(seed: 412)
        let second = TestTransfer(seed: 413, hasLongManifest: false)
        let again = TestTransfer(image: second.image, hasLongManifest: true)
        #expect(again.tag != second.tag)
        let test = try StoreUnderTest(.directory, in: directory.path)
        for transfer in [first, second, again] { try await transfer.run(on: test.store) }
        #expect(readFile(root / "current/manifest") == again.manifest.bytes)
        #expect(readFile(root / "previous/image") == first.image)
        let images = FileTree(at: root / "images").nodes.keys.filter { !$0.contains("/") }
        #expect(Set(images) == [first.tag.hex, again.tag.hex])
    }

    @Test("goes back to the image before without a transfer")
    func back() async throws {
        let first = TestTransfer(seed: 410)
        let second = TestTransfer(seed: 411)
        let test = try StoreUnderTest(.directory, in: directory.path)
        try await first.run(on: test.store)
        try await second.run(on: test.store)

        let asked = try await first.run(on: test.store)
        #expect(asked.manifest.isEmpty && asked.image.isEmpty)
        #expect(readFile(root / "current/image") == first.image)
        #expect(readFile(root / "previous/image") == second.image)
    }

    @Test("finds the image that another process made current, by hashing it")
    func current() async throws {
        let transfer = TestTransfer(seed: 420)
        let test = try StoreUnderTest(.directory, in: directory.path)
        #expect(try await (test.store as! DirectoryStore).current() == nil)
        let stored = try await transfer.run(on: test.store).stored
        try await test.reopen()
        #expect(try await (test.store as! DirectoryStore).current() == stored)
        guard case .current(stored) = try await transfer.open(on: test.store) else {
            Issue.record("the current image is not known")
            return
        }
    }

    @Test("repairs a current image that the disk damaged, by those blocks alone")
    func damagedImage() async throws {
        let transfer = TestTransfer(seed: 430)
        let test = try StoreUnderTest(.directory, in: directory.path)
        try await transfer.run(on: test.store)
        var damaged = transfer.image
        damaged[700] ^= 0x10
        writeFile(root / "current/image", damaged)

        #expect(try await (test.store as! DirectoryStore).current() == nil)
        #expect(try await transfer.run(on: test.store).image == [2])
        #expect(readFile(root / "current/image") == transfer.image)
    }

    @Test("repairs a current image whose manifest is gone, or which is gone itself")
    func damagedDirectory() async throws {
        let transfer = TestTransfer(seed: 440)
        let test = try StoreUnderTest(.directory, in: directory.path)
        try await transfer.run(on: test.store)

        writeFile(root / "current/manifest", [1, 2, 3])
        let asked = try await transfer.run(on: test.store)
        #expect(asked.manifest == [0, 1])
        #expect(asked.image.isEmpty)

        FileTree.remove(root / "images")
        try await test.reopen()
        #expect(try await transfer.run(on: test.store).image == Set(0..<6))
        #expect(readFile(root / "current/image") == transfer.image)
    }

    //= OBJ-6
    @Test("does not publish what the disk changed after it was written")
    func changedOnDisk() async throws {
        let transfer = TestTransfer(seed: 450)
        let test = try StoreUnderTest(.directory, in: directory.path)
        _ = try await transfer.open(on: test.store)
        try await transfer.sendManifest(to: test.store)
        _ = try await test.store.acceptManifest()
        for (index, block) in transfer.imageBlocks.enumerated() {
            try await test.store.write(block, object: .image, blockIndex: index)
        }
        try await test.store.synchronize()
        let path = root / "incoming/\(transfer.tag.hex)/image"
        var changed = transfer.image
        changed[0] ^= 1
        changed[1_300] ^= 1
        writeFile(path, changed)

        await expect(.storeFailed(errno: 5)) { _ = try await test.store.publish() }
        #expect(readFile(root / "current/image") == nil)
        await test.store.release()
        #expect(try await transfer.run(on: test.store).image == [0, 5])
    }

    //= END-6
    @Test("writes on while the disk is busy, and the journal names only what was written before")
    func writeBesideSynchronize() async throws {
        let transfer = TestTransfer(seed: 455)
        let (isBusy, isFree) = (Signal(), DispatchSemaphore(value: 0))
        let isWatched = Atomic(false)
        let test = try StoreUnderTest(.directory, in: directory.path) { step in
            guard case .synchronize(let path) = step, path.lastComponent == "image",
                isWatched.exchange(false, ordering: .relaxed)
            else { return }
            isBusy.send()
            isFree.wait()
        }
        let store = test.store
        _ = try await transfer.open(on: store)
        try await transfer.sendManifest(to: store)
        _ = try await store.acceptManifest()
        func write(_ index: Int) async throws {
            let block = transfer.imageBlocks[index]
            try await store.write(block, object: .image, blockIndex: index)
        }
        try await write(0)
        try await write(3)
        isWatched.store(true, ordering: .relaxed)
        let synchronizing = Task { try await store.synchronize() }
        await isBusy.wait()
        for index in [1, 0, 4] { try await write(index) }
        let place = root / "incoming/\(transfer.tag.hex)"
        #expect(readFile(place / "image")?[256..<512] == transfer.image[256..<512])
        #expect(readFile(place / "journal") == [0, 0, 0, 0, 0, 0])
        isFree.signal()
        try await synchronizing.value
        #expect(readFile(place / "journal") == [1, 0, 0, 1, 0, 0])
        try await store.synchronize()
        #expect(readFile(place / "journal") == [1, 1, 0, 1, 1, 0])
    }

    @Test("believes no journal of the wrong length, and finds the blocks without it")
    func damagedJournal() async throws {
        let transfer = TestTransfer(seed: 460)
        for journal in [
            [], [1, 1, 1], Array(repeating: UInt8(0xFF), count: 6), Array(repeating: 1, count: 7),
        ] {
            let directory = TemporaryDirectory(isInMemory: true)
            let test = try StoreUnderTest(.directory, in: directory.path)
            _ = try await transfer.open(on: test.store)
            try await transfer.sendManifest(to: test.store)
            _ = try await test.store.acceptManifest()
            for index in [0, 4] {
                let block = transfer.imageBlocks[index]
                try await test.store.write(block, object: .image, blockIndex: index)
            }
            try await test.store.synchronize()
            writeFile(directory.path / "store/incoming/\(transfer.tag.hex)/journal", journal)
            try await test.reopen()
            #expect(try await transfer.run(on: test.store).image == [1, 2, 3, 5])
        }
    }

    @Test("is held by one process or store at a time")
    func locked() async throws {
        let test = try StoreUnderTest(.directory, in: directory.path)
        await expect(.busy) { _ = try DirectoryStore(directory: root) }
        try await test.reopen()
        await test.close()
        _ = try DirectoryStore(directory: root)
    }

    @Test("says that it can't be made where nothing can be made")
    func cannotCreate() async throws {
        writeFile(directory.path / "file", [1])
        let missing = directory.path / "a/b"
        await expect(.cannotCreate(errno: 2)) { _ = try DirectoryStore(directory: missing) }
        let inFile = directory.path / "file/b"
        await expect(.cannotCreate(errno: 20)) { _ = try DirectoryStore(directory: inFile) }
        let file = directory.path / "file"
        await expect(.cannotCreate(errno: 17)) { _ = try DirectoryStore(directory: file) }
    }
}
