import BLEOTAWire
import SystemPackage
import Testing

@testable import BLEOTA

/// The security counter of a store.
@Suite("The security counter")
struct CounterTests {
    @Test("is 0 at first, goes up and never down", arguments: [StoreKind.memory, .directory])
    func monotonic(kind: StoreKind) async throws {
        let directory = TemporaryDirectory(isInMemory: true)
        let test = try StoreUnderTest(kind, in: directory.path)
        var highest: UInt32 = 0
        for counter in [0, 7, 3, 7, 8, 0, .max, 1] as [UInt32] {
            #expect(try await test.store.status().counter == highest)
            try await test.store.raiseCounter(to: counter)
            highest = max(highest, counter)
            #expect(try await test.store.status().counter == highest)
            try await test.reopen()
        }
    }

    //= ACCEPT-7
    @Test("survives a power cut at every step", arguments: DiskModel.Names.allCases)
    func powerCut(names: DiskModel.Names) async throws {
        let directory = TemporaryDirectory(isInMemory: true)
        let before = try StoreUnderTest(.directory, in: directory.path)
        try await before.store.raiseCounter(to: 5)
        await before.close()
        let recorder = DiskRecorder(root: directory.path, progress: TransferProgress())
        let test = try StoreUnderTest(.directory, in: directory.path, hook: recorder.hook)
        try await test.store.raiseCounter(to: 9)
        let moments = recorder.moments
        #expect(moments.count > 3)
        var seen: Set<FileTree> = []
        for moment in moments {
            for contents in DiskModel.Contents.allCases {
                for seed in 0..<4 as Range<UInt64> {
                    let tree = moment.disk.afterPowerCut(names, contents, seed: seed)
                    guard seen.insert(tree).inserted || moment.step == nil else { continue }
                    let left = TemporaryDirectory(isInMemory: true)
                    tree.write(to: left.path)
                    let store = try StoreUnderTest(.directory, in: left.path).store
                    let counter = try await store.status().counter
                    let isAsPromised = moment.step == nil ? counter == 9 : [5, 9].contains(counter)
                    #expect(isAsPromised, "\(counter) after \(String(describing: moment.step))")
                    try await store.raiseCounter(to: 9)
                    #expect(try await store.status().counter == 9)
                }
            }
        }
    }

    @Test("that can't be read lets nothing in")
    func unreadable() async throws {
        for content in ["seven", "-1", "4294967296", ""] {
            let directory = TemporaryDirectory(isInMemory: true)
            let test = try StoreUnderTest(.directory, in: directory.path)
            let path = directory.path / "store" / "counter"
            writeFile(path, Array(content.utf8))
            do throws(StoreError) {
                _ = try await test.store.status().counter
                Issue.record("\(content) is no counter")
            } catch {
                #expect(error.reason == .storeFailed)
                #expect(error.message.contains("counter"))
            }
        }
    }
}
