import SystemPackage
import Testing

@testable import BLEOTA

/// A process is killed, or the power is cut, before each step in which a store is made, or one of a
/// release without markers becomes one with a marker. The next process opens it and loses nothing.
@Suite("A store that is made when the power is cut")
struct StoreMakingTests {
    enum Before: CaseIterable { case nothing, emptyDirectory, storeWithoutMarker }

    @Test("is made by the next process", arguments: Before.allCases)
    func making(_ before: Before) async throws {
        var seen: Set<FileTree> = []
        let moments = try moments(before)
        #expect(moments.count > (before == .storeWithoutMarker ? 5 : 8))
        for moment in moments {
            var trees = [moment.disk.present]
            for names in DiskModel.Names.allCases {
                for contents in DiskModel.Contents.allCases {
                    for seed in 0..<4 as Range<UInt64> {
                        trees.append(moment.disk.afterPowerCut(names, contents, seed: seed))
                    }
                }
            }
            for tree in trees where seen.insert(tree).inserted {
                let step = moment.step.map { "\($0)" } ?? "the end"
                try await check(before, tree, "before \(step)")
            }
        }
        #expect(seen.count > 3)
    }

    private func moments(_ before: Before) throws -> [DiskRecorder.Moment] {
        let directory = TemporaryDirectory(isInMemory: true)
        let root = directory.path / "store"
        if before != .nothing { try Disk().makeDirectory(root) }
        if before == .storeWithoutMarker { StoreBeforeMarkers.tree.write(to: root) }
        let recorder = DiskRecorder(root: directory.path, progress: TransferProgress())
        _ = try DirectoryStore(directory: root, on: Disk(willMake: recorder.hook))
        #expect(recorder.disk.present == FileTree(at: directory.path))
        return recorder.moments
    }

    private func check(_ before: Before, _ tree: FileTree, _ comment: Comment) async throws {
        let directory = TemporaryDirectory(isInMemory: true)
        tree.write(to: directory.path)
        let root = directory.path / "store"
        let store = try DirectoryStore(directory: root)
        var expected = before == .storeWithoutMarker ? StoreBeforeMarkers.tree : FileTree()
        expected.nodes["bleota-store"] = .file(Array("bleota store, format 1\n".utf8))
        for name in ["images", "incoming"] { expected.nodes[name] = .directory }
        expected.nodes["lock"] = .file([])
        #expect(FileTree(at: root) == expected, comment)
        let current = try await store.current()?.manifest.tag.hex
        #expect(
            current == (before == .storeWithoutMarker ? StoreBeforeMarkers.currentTag : nil),
            comment
        )
    }
}
