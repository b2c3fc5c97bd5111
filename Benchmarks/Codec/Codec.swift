import BLEOTACore
import Benchmark

/// What frames cost, without link and store: in time, in allocations, and beside a copy and another
/// checksum of the same bytes. `make bench` runs it and prints it short.
let benchmarks: @Sendable () -> Void = {
    let sample = Sample()
    let device = Device(imageByteCount: sample.image.count)
    let pipeline = Pipeline(sample: sample, device: device)
    let machines = MachinePair(sample: sample, device: device)
    let accounts = Accounts()
    pipeline.prove()

    Benchmark.defaultConfiguration = .init(
        metrics: BenchmarkMetric.codec,
        warmupIterations: 10,
        maxDuration: .seconds(1),
        maxIterations: 1_000
    )
    // Counted are whole frames, or their chunks.
    let frames = Round(
        frameCount: sample.chunkCount,
        byteCount: sample.frameByteCount,
        pieces: UnsafeRawBufferPointer(sample.frames)
    )
    let chunks = Round(
        frameCount: sample.chunkCount,
        byteCount: sample.chunkByteCount,
        pieces: UnsafeRawBufferPointer(sample.image)
    )
    Benchmark("checksum") { frames.run($0, pipeline.check) }
    Benchmark("packetize") { chunks.run($0, pipeline.packetize) }
    Benchmark("decode") { chunks.run($0, pipeline.decode) }
    Benchmark("reassemble") { chunks.run($0, pipeline.reassemble) }
    Benchmark("pipeline") { chunks.run($0) { pipeline.run() } }
    Benchmark("machines") { chunks.run($0, machines.transfer) }
    let acknowledgements = Round(
        frameCount: Accounts.count,
        byteCount: accounts.byteCount,
        pieces: UnsafeRawBufferPointer(sample.image)
    )
    Benchmark("acknowledgement") { acknowledgements.run($0, accounts.exchange) }
    // Shows that allocations are counted: one a frame.
    Benchmark("array") { benchmark in
        chunks.run(benchmark) {
            for index in 0..<sample.chunkCount {
                blackHole([UInt8](sample.makeFrame(UInt32(index))))
            }
        }
    }
}
