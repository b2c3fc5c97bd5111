import BLEOTASimulation
import Glibc

/// Consecutive seeds, whose transfers run on all processors at once.
struct SeedRange {
    /// The number of transfers in a task: enough that the cost of a task is negligible, and few
    /// enough that reports arrive steadily. At about a millisecond per transfer, a batch takes less
    /// than a tenth of a second.
    private static let batchSize = 64
    /// The number of batches per processor that may be started but not yet reported. While a long
    /// batch delays the reports, this many others can run.
    private static let batchCountAheadMax = 8

    let first: UInt64
    let count: Int

    /// The last seed.
    var last: UInt64 { first + UInt64(count - 1) }

    private struct Batch {
        let number: Int
        let reports: [SimulatedTransferReport]
    }

    /// Runs the transfers, and passes on their reports in the order of the seeds, whichever ended
    /// first.
    ///
    /// This ends early if `take` returns false or the task is cancelled; the reports up to then
    /// have no gaps.
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

    /// If the task is cancelled, there are fewer reports than seeds.
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
