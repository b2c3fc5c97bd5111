import BLEOTASimulation
import Glibc

/// Consecutive seeds, whose transfers run on all processors.
struct SeedRange {
    /// The number of transfers per task: enough to make the cost of tasks negligible, but few
    /// enough for steady reports. At about 1 ms per transfer, a batch takes less than a tenth of a
    /// second.
    private static let batchSize = 64
    /// The number of batches per processor that may run ahead of the reports. Reports are passed in
    /// order, and while a long batch holds them up, this many batches can still run.
    private static let batchCountAheadMax = 8

    let first: UInt64
    let count: Int

    /// The last seed.
    var last: UInt64 { first + UInt64(count - 1) }

    private struct Batch {
        let number: Int
        let reports: [SimulatedTransferReport]
    }

    /// Runs the transfers, and passes their reports in the order of the seeds.
    ///
    /// The run ends early when `take` returns false, or when the task is cancelled. The reports
    /// passed until then have no gap.
    func run(_ take: (SimulatedTransferReport) -> Bool) async {
        await withTaskGroup(of: Batch.self) { group in
            await run(in: &group, take)
            group.cancelAll()
        }
    }

    private func run(
        in group: inout TaskGroup<Batch>,
        _ take: (SimulatedTransferReport) -> Bool
    ) async {
        let batchCount = (count - 1) / Self.batchSize + 1
        let aheadMax = Self.batchCountAheadMax * sysconf(Int32(_SC_NPROCESSORS_ONLN))
        var begunCount = 0
        var done: [Int: [SimulatedTransferReport]] = [:]
        for number in 0..<batchCount {
            while begunCount < min(batchCount, number + aheadMax) {
                let next = begunCount
                group.addTask { Batch(number: next, reports: reports(ofBatch: next)) }
                begunCount += 1
            }
            while done[number] == nil, let batch = await group.next() {
                done[batch.number] = batch.reports
            }
            let ended = done.removeValue(forKey: number) ?? []
            let isWhole = ended.count == seeds(ofBatch: number).count
            guard ended.allSatisfy(take), isWhole else { return }
        }
    }

    private func seeds(ofBatch number: Int) -> Range<Int> {
        number * Self.batchSize..<min((number + 1) * Self.batchSize, count)
    }

    /// Runs the transfers of a batch. Returns fewer reports than seeds if the task is cancelled.
    private func reports(ofBatch number: Int) -> [SimulatedTransferReport] {
        var reports: [SimulatedTransferReport] = []
        for offset in seeds(ofBatch: number) {
            guard !Task.isCancelled else { break }
            let seed = first + UInt64(offset)
            reports.append(TrapNotice.naming(seed) { SimulatedTransfer(seed: seed).run() })
        }
        return reports
    }
}
