import Benchmark
import CAllocationCount
import CZlibYardstick
import Glibc

/// One round of a benchmark: the work, and right after it the yardsticks over as many bytes in
/// pieces as long, so that a machine that is slow for a while is slow for all three.
struct Round {
    /// How many frames the work handles.
    let frameCount: Int
    /// How many bytes of a frame count: those of the chunk, or all of them.
    let byteCount: Int
    /// The pieces that the yardsticks work on; `frameCount` times `byteCount` bytes at least.
    let pieces: UnsafeRawBufferPointer

    func run(_ benchmark: Benchmark, _ work: () -> Void) {
        benchmark.startMeasurement()
        let countBefore = allocation_count()
        let workTime = time(work)
        let allocationCount = allocation_count() - countBefore
        benchmark.stopMeasurement()
        let copyTime = time(copyAll)
        let zlibTime = time(checkAll)
        benchmark.measurement(.speed, megabytesPerSecond(workTime))
        benchmark.measurement(.copySpeed, megabytesPerSecond(copyTime))
        benchmark.measurement(.zlibSpeed, megabytesPerSecond(zlibTime))
        benchmark.measurement(.ofCopySpeed, perMille(copyTime, workTime))
        benchmark.measurement(.ofZlibSpeed, perMille(zlibTime, workTime))
        benchmark.measurement(.frameTime, Int(workTime * 1_000 / Double(frameCount)))
        benchmark.measurement(.frames, frameCount)
        benchmark.measurement(.allocations, Int(allocationCount))
    }

    /// In nanoseconds, of this thread on a processor: what others do meanwhile does not count.
    private func time(_ work: () -> Void) -> Double {
        let before = processorTime()
        work()
        return processorTime() - before
    }

    private func processorTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }

    private func megabytesPerSecond(_ nanoseconds: Double) -> Int {
        Int((Double(frameCount * byteCount) * 1_000 / nanoseconds).rounded())
    }

    private func perMille(_ yardstick: Double, _ work: Double) -> Int {
        Int((yardstick * 1_000 / work).rounded())
    }

    /// Into one place, as a frame is made in one buffer. The length is hidden from the compiler,
    /// which would put a few moves in the place of the call.
    private func copyAll() {
        let byteCount = identity(byteCount)
        withUnsafeTemporaryAllocation(byteCount: 512, alignment: 16) { place in
            for piece in 0..<frameCount {
                memcpy(place.baseAddress!, pieces.baseAddress! + piece * byteCount, byteCount)
            }
            blackHole(place.baseAddress)
        }
    }

    private func checkAll() {
        let start = pieces.baseAddress!.assumingMemoryBound(to: UInt8.self)
        var all: UInt = 0
        for piece in 0..<frameCount {
            all ^= crc32(0, start + piece * byteCount, UInt32(byteCount))
        }
        blackHole(all)
    }
}
