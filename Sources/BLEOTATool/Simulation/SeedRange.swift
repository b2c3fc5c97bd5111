import BLEOTASimulation
import Glibc

/// Seeds in a row, and their transfers, run on all processors at a time.
struct SeedRange {
    /// What a task runs: long enough that tasks cost nothing beside it, short enough that the
    /// reports come steadily. At about a millisecond a transfer it is a tenth of a second.
    private static let batchSize = 64
    /// How many batches may be begun for each processor and not taken: where a long one holds up
    /// the order, this many others go on meanwhile.
    private static let batchCountAheadMax = 8

    let first: UInt64
    let count: Int

    /// The last of them.
    var last: UInt64 { first + UInt64(count - 1) }

    private struct Batch {
        let number: Int
        let reports: [SimulatedTransferReport]
    }

    /// Runs them, and gives their reports in the order of the seeds, whichever ended first.
    ///
    /// It ends early when `take` returns false, and when the task is cancelled; what was given
    /// until then is without a gap.
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

    /// Fewer than there are seeds, when the task is cancelled.
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
