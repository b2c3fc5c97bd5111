import BLEOTAWire
import Glibc
import SystemPackage
import Testing

@testable import BLEOTA

/// The directory of a store goes, or another one takes its name, while the store is in use.
@Suite("A store that is gone", .timeLimit(.minutes(1)))
struct LostStoreTests {
    enum Loss: CaseIterable { case removed, renamed, replaced, unlocked }

    private static let transfer = TestTransfer(seed: 990, blockCount: 2)

    @Test("is noticed, and another store can be opened under the name", arguments: Loss.allCases)
    func lost(_ loss: Loss) async throws {
        let directory = TemporaryDirectory(isInMemory: true)
        let root = directory.path / "store"
        let store = try DirectoryStore(directory: root)
        try await Self.transfer.run(on: store)
        let waiting = Task { try await store.awaitLoss() }

        switch loss {
        case .removed: FileTree.remove(root)
        case .renamed, .replaced: try Disk().rename(root, to: directory.path / "elsewhere")
        case .unlocked: unlink((root / "lock").string)
        }
        let second = loss == .replaced ? try DirectoryStore(directory: root) : nil
        let before = FileTree(at: directory.path)

        await expect(.lost) { try await waiting.value }
        await expect(.lost) { _ = try await Self.transfer.open(on: store) }
        await expect(.lost) { try await store.raiseCounter(to: 7) }
        #expect(FileTree(at: directory.path) == before)
        withExtendedLifetime(second) {}
    }

    @Test("ends a transfer in the middle, and no image is called verified")
    func meanwhile() async throws {
        let directory = TemporaryDirectory(isInMemory: true)
        let root = directory.path / "store"
        let store = try DirectoryStore(directory: root)
        _ = try await Self.transfer.open(on: store)
        try await Self.transfer.sendManifest(to: store)
        _ = try await store.acceptManifest()
        for (index, block) in Self.transfer.imageBlocks.enumerated() {
            try await store.write(block, object: .image, blockIndex: index)
        }
        try await store.synchronize()
        try Disk().rename(root, to: directory.path / "elsewhere")
        await expect(.lost) { _ = try await store.publish() }
        await store.release()
    }

    @Test("is waited for no longer than somebody wants to know")
    func cancelled() async throws {
        let directory = TemporaryDirectory(isInMemory: true)
        let store = try DirectoryStore(directory: directory.path / "store")
        let waiting = Task { try await store.awaitLoss() }
        waiting.cancel()
        try await waiting.value
    }
}
