import BLEOTACore
import Testing

@testable import BLEOTASimulation

/// One transfer to a flash, in which the power of the device is cut once: in every operation of the
/// flash, before it, in the midst of it, and after it, when nobody was told that it is over.
@Suite struct FlashPowerCutTests {
    private static func scenario(
        pageCount: Int,
        blockByteCount: Int,
        slotCount: Int
    ) -> Scenario {
        var scenario = Scenario(seed: 12)
        scenario.imageByteCount = pageCount * 4_096 - 100
        scenario.blockByteCount = blockByteCount
        scenario.slotCount = slotCount
        scenario.store.flash = FlashSettings()
        scenario.store.flash?.hashBytesPerSecond = 200_000
        scenario.store.manifestBlockByteCount = blockByteCount
        return scenario
    }

    //= END-6
    //= OBJ-6
    @Test(
        "Whenever the power is cut, one of two images is current, and little has to come again",
        arguments: [(16, 4_096, 2), (4, 512, 7)]
    )
    func everyOperation(pageCount: Int, blockByteCount: Int, slotCount: Int) throws {
        let scenario = Self.scenario(
            pageCount: pageCount,
            blockByteCount: blockByteCount,
            slotCount: slotCount
        )
        let clean = SimulationRun.run(scenario)
        #expect(clean.senderEndings == [.verified])
        // A page is erased and its blocks are programmed; so for the manifest; two records.
        let blockCount = pageCount * 4_096 / blockByteCount
        let manifestByteCount = 50 + 16 * blockCount
        let expected =
            pageCount + blockCount + (manifestByteCount + 4_095) / 4_096
            + (manifestByteCount + blockByteCount - 1) / blockByteCount + 2
        try #require(clean.flashOperationCount == expected)
        var random = SimulationRandom(seed: 1)
        for operation in 0..<expected {
            for share in [0, Double(random.int(1...999)) / 1_000, 1] {
                var scenario = scenario
                scenario.flashCut = Scenario.FlashCut(operation: operation, share: share)
                let pair = SimulationRun.run(scenario)
                let name = "operation \(operation) at \(share)"
                #expect(pair.senderEndings == [.verified], "\(name)")
                #expect(pair.imageFrameCountLost(of: clean) <= Self.lossMax(pair), "\(name)")
                guard pair.failure == nil else { return }
            }
        }
    }

    /// How many chunks may be sent twice: what was on the way, what was in memory, what is erased
    /// with one block, and at the border of each, and of two probes, one more.
    private static func lossMax(_ pair: Pair) -> Int {
        let scenario = pair.scenario
        let chunkByteCount = ChunkSize(fittingFrameOf: scenario.frameByteCountMax).byteCount
        let pageByteCount = scenario.store.flash?.pageByteCount ?? 0
        let memory = scenario.slotCount * scenario.blockByteCount
        let spoiled = max(pageByteCount, scenario.blockByteCount)
        return pair.interruptionCosts.reduce(0, +) + (memory + spoiled) / chunkByteCount + 5
    }
}

extension Pair {
    fileprivate func imageFrameCountLost(of clean: Pair) -> Int {
        traffic.imageFrameCount - clean.traffic.imageFrameCount
    }
}
