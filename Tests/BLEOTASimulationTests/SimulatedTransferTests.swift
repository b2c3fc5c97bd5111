import BLEOTACore
import Testing

@testable import BLEOTASimulation

/// Thousands of transfers in worlds drawn from a seed, in virtual time.
///
/// `BLEOTA_SEEDS=n` says how many; `BLEOTA_SEED=n` replays one, with its frames if it fails.
@Suite struct SimulatedTransferTests {
    private static let shardCount = 4

    // At each step of each of them is checked:
    //= ACK-1
    //= ACK-2
    //= ACK-3
    //= ACK-6
    //= CREDIT-1
    //= CREDIT-3
    //= OBJ-6
    //= OBJ-7
    //= OPEN-1
    //= TIME-4
    //= WINDOW-1
    @Test("Every transfer ends in its image or in a named reason", arguments: 0..<shardCount)
    func everyTransferEnds(shard: Int) {
        if let seed = SimulationRun.seed {
            if shard == 0 { SimulationRun.run(.drawn(from: seed), isTraced: true) }
            return
        }
        var failureCount = 0
        for seed in stride(from: shard, to: SimulationRun.seedCount, by: Self.shardCount) {
            SimulationRun.log("seed \(seed)")
            let pair = SimulationRun.run(.drawn(from: UInt64(seed)))
            if pair.failure != nil { failureCount += 1 }
            if failureCount >= 3 { break }
        }
    }

    @Test("A seed gives the same run to the last bit", arguments: [1, 7, 42, 1_234] as [UInt64])
    func isDeterministic(seed: UInt64) {
        let first = Pair(.drawn(from: seed))
        first.run()
        let second = Pair(.drawn(from: seed))
        second.run()
        #expect(first.trace.hash == second.trace.hash)
        #expect(first.now == second.now)
    }
}
