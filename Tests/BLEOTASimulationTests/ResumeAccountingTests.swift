import BLEOTACore
import Testing

@testable import BLEOTASimulation

/// What is sent twice because of an interruption is bounded, and the bound is arithmetic.
@Suite struct ResumeAccountingTests {
    /// A link that loses nothing, and a store that syncs every block at once.
    private static func scenario(seed: UInt64) -> Scenario {
        var random = SimulationRandom(seed: seed)
        var scenario = Scenario(seed: seed)
        scenario.imageByteCount = random.int(20_000...60_000)
        scenario.blockByteCount = random.element([256, 1_024, 4_096])
        scenario.frameByteCountMax = random.element([64, 180, 244])
        scenario.slotCount = random.int(3...8)
        scenario.window = random.element([
            .automatic, .fixed(chunkCount: 8), .fixed(chunkCount: 64), .fieldRule,
        ])
        let latency = Microseconds(Int64(random.int(500...50_000)))
        scenario.senderControl.latency = latency
        scenario.senderData.latency = latency
        scenario.receiverControl.latency = latency
        scenario.senderData.pace = LinkModel.Pace(
            interval: .milliseconds(15),
            datagramCount: 6,
            queueMax: 10_000
        )
        for _ in 0..<random.int(1...4) {
            scenario.interruptions.append(
                (
                    Instant(microseconds: Int64(random.int(10_000...1_500_000))),
                    random.element([Scenario.Interruption.cut, .restartSender, .restartReceiver])
                )
            )
        }
        scenario.healsAt = Instant(microseconds: 2_000_000)
        return scenario
    }

    //= END-6
    @Test("An interruption costs at most what was on the way and one block")
    func interruptionsCostLittle() {
        for seed in 0..<UInt64(SimulationRun.seedCount / 10) {
            let scenario = Self.scenario(seed: seed)
            let pair = SimulationRun.run(scenario)
            guard pair.failure == nil else { return }
            let chunkByteCount = ChunkSize(fittingFrameOf: scenario.frameByteCountMax).byteCount
            let chunkCount = (scenario.imageByteCount + chunkByteCount - 1) / chunkByteCount
            // A block of b bytes touches at most ⌈b ÷ c⌉ + 1 chunks of c bytes, and the chunk at
            // the border of what is held may be sent once more.
            let chunksOfBlock = (scenario.blockByteCount - 1) / chunkByteCount + 3
            // What was on the way when the sender learnt of it; two probes told it.
            let allowed = pair.interruptionCosts.reduce(0) { $0 + $1 + 2 + chunksOfBlock }
            let sent = pair.traffic.imageFrameCount
            #expect(
                sent <= chunkCount + allowed,
                "seed \(seed): \(sent) frames, \(chunkCount) chunks, \(allowed) allowed"
            )
        }
    }
}
