import Benchmark

/// What a benchmark reports of each of its rounds. `scripts/codec-figures.py` reads them by name.
extension BenchmarkMetric {
    private static func more(_ name: String) -> BenchmarkMetric {
        .custom(name, polarity: .prefersLarger, useScalingFactor: false)
    }

    private static func less(_ name: String) -> BenchmarkMetric {
        .custom(name, polarity: .prefersSmaller, useScalingFactor: false)
    }

    static var speed: BenchmarkMetric { more("Speed (MB/s)") }
    static var copySpeed: BenchmarkMetric { more("memcpy (MB/s)") }
    static var zlibSpeed: BenchmarkMetric { more("crc32 (MB/s)") }
    static var ofCopySpeed: BenchmarkMetric { more("Speed of memcpy (per mille)") }
    static var ofZlibSpeed: BenchmarkMetric { more("Speed of crc32 (per mille)") }
    /// Picoseconds, because a metric is a whole number and a frame may take a few nanoseconds.
    static var frameTime: BenchmarkMetric { less("Time a frame (ps)") }
    static var frames: BenchmarkMetric { more("Frames") }
    static var allocations: BenchmarkMetric { less("Allocations") }

    /// All of them, with those that the benchmark package measures itself. It leaves out the
    /// instructions where the machine shows no counters, as most virtual ones, and its JSON wants
    /// the throughput.
    static var codec: [BenchmarkMetric] {
        [
            speed, copySpeed, zlibSpeed, ofCopySpeed, ofZlibSpeed, frameTime, frames, allocations,
            .wallClock, .throughput, .instructions,
        ]
    }
}
