import BLEOTACore
import BLEOTAHost
import Testing

@testable import BLEOTASimulation

/// What a power cut leaves in a store of files.
@Suite struct InMemoryStoreTests {
    /// A store with a manifest of 20 blocks, of which the first 10 are synced.
    private static func store(_ unsynced: StoreBehavior.UnsyncedBlocks, seed: UInt64)
        -> InMemoryStore
    {
        var model = StoreBehavior()
        model.unsynced = unsynced
        model.manifestBlockByteCount = 256
        let store = InMemoryStore(model, seed: seed)
        complete(.lookUp(TransferTag(rawValue: 5), manifestByteCount: 20 * 256), in: store)
        let bytes = [UInt8](repeating: 7, count: 256)
        for block in 0..<20 {
            complete(.write(.manifest, block: block), bytes, in: store)
            if block == 9 { _ = store.sync(.manifest) }
        }
        return store
    }

    private static func complete(
        _ task: StorageTask,
        _ bytes: [UInt8] = [],
        in store: InMemoryStore
    ) {
        _ = store.begin(task, bytes: bytes, isOld: false)
        _ = store.finishStep(isOld: false, isHealed: true)
    }

    private static func held(_ store: InMemoryStore) -> [Int] {
        (0..<20).filter { store.holds($0 * 256..<($0 + 1) * 256, of: .manifest) }
    }

    @Test("What is synced stays, and of the rest all, nothing, or each block for itself")
    func unsynced() {
        var kept: Set<[Int]> = []
        for seed in 0..<UInt64(20) {
            let stays = Self.store(.stays, seed: seed)
            stays.losePower(after: nil)
            #expect(Self.held(stays) == Array(0..<20))
            let goes = Self.store(.goes, seed: seed)
            goes.losePower(after: nil)
            #expect(Self.held(goes) == Array(0..<10))
            let each = Self.store(.each, seed: seed)
            each.losePower(after: nil)
            #expect(Self.held(each).starts(with: 0..<10))
            #expect(each.durableByteCount(of: .manifest) >= 10 * 256)
            kept.insert(Self.held(each))
        }
        // 2^10 ways, of which twenty draws seldom give one twice.
        #expect(kept.count > 15)
    }

    //= END-6
    @Test("Whatever a power cut leaves of the blocks, the image arrives", arguments: 0..<120)
    func everyFrame(frame: Int) {
        var scenario = Scenario(seed: UInt64(frame))
        scenario.imageByteCount = 10_000
        scenario.blockByteCount = 256
        scenario.store.unsynced = .each
        scenario.store.blocksPerSync = 8
        scenario.store.write = .milliseconds(3)
        scenario.anomaly = Scenario.Anomaly(kind: .restartReceiver, frame: frame)
        let pair = SimulationRun.run(scenario)
        #expect(pair.senderEndings == [.verified])
    }
}
