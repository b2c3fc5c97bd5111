import BLEOTA
import Glibc

/// What a data frame costs in CPU time, both ends and the loopback between them together, and how
/// many bytes a transfer puts on the wire.
@main
struct TransferCost {
    private static let imageByteCount = 16 << 20
    private static let runCount = 7

    static func main() async throws {
        let bytes = pseudorandomBytes(count: imageByteCount)
        let prepared = try Firmware(FirmwareFile(bytes: bytes, name: "benchmark.bin"))
        print("16 MiB over the in-process loopback, ATT_MTU 247, auto, without response, no faults")
        var runs: [Run] = []
        for _ in 0...runCount { runs.append(try await run(prepared)) }
        // The first warms up caches and is not counted.
        let costs = runs.dropFirst().map(\.microsecondsPerFrame).sorted()
        let rates = runs.dropFirst().map(\.megabytesPerSecond).sorted()
        print("CPU per data frame   \(spread(costs)) µs   (median of \(runCount), least–most)")
        print("goodput              \(spread(rates)) MB/s")
        try await overhead(prepared)
        try TrustCost().tell(spread)
    }

    private struct Run {
        let microsecondsPerFrame: Double
        let megabytesPerSecond: Double
    }

    private static func run(_ prepared: Firmware) async throws -> Run {
        let cpuBefore = cpuSeconds()
        let report = try await transfer(prepared) { $0 }
        let cpu = cpuSeconds() - cpuBefore
        return Run(
            microsecondsPerFrame: cpu * 1_000_000 / Double(report.dataFramesSent),
            megabytesPerSecond: report.goodputBytesPerSecond / 1_000_000
        )
    }

    /// Counts every byte that either end hands to the link.
    private static func overhead(_ prepared: Firmware) async throws {
        let counter = ByteCounter()
        _ = try await transfer(prepared) { link in
            TracingTransport(link) { record in
                if record.direction == .out { counter.add(record.bytes.count) }
            }
        }
        let permille = counter.total * 10_000 / imageByteCount
        print(
            "bytes on the wire    "
                + "\(permille / 100).\(permille % 100 < 10 ? "0" : "")\(permille % 100) % of the "
                + "image, both directions, manifest and acknowledgements included"
        )
    }

    private static func transfer(
        _ prepared: Firmware,
        wrap: (LoopbackTransport) -> any Transport
    ) async throws -> TransferReport {
        let (near, far) = LoopbackTransport.makePair(limits: TransportLimits(attMTU: 247))
        let (sender, receiver) = (wrap(near), wrap(far))
        let store = MemoryStore()
        async let served: Void = serve(over: receiver, into: store)
        let report = try await push(prepared, over: sender)
        sender.close(.local)
        await served
        return report
    }

    private static func spread(_ sorted: [Double]) -> String {
        "\(twoDecimals(sorted[sorted.count / 2]))  (\(twoDecimals(sorted[0]))–"
            + "\(twoDecimals(sorted[sorted.count - 1])))"
    }

    private static func twoDecimals(_ value: Double) -> String {
        let hundredths = Int((value * 100).rounded())
        return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)"
    }

    private static func cpuSeconds() -> Double {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return [usage.ru_utime, usage.ru_stime].reduce(0) { sum, time in
            sum + Double(time.tv_sec) + Double(time.tv_usec) / 1_000_000
        }
    }

    private static func pseudorandomBytes(count: Int) -> [UInt8] {
        var generator = SeededGenerator(seed: 1)
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            for index in 0..<count { buffer[index] = UInt8(truncatingIfNeeded: generator.next()) }
            initialized = count
        }
    }
}
