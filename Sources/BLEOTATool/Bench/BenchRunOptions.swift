import ArgumentParser
import BLEOTACore
import BLEOTASimulation

/// What to measure, and for how long.
struct BenchRunOptions: ParsableArguments {
    @Option(
        name: .customLong("seconds"),
        help: ArgumentHelp("Real links: seconds per run, 1 to 600; 5 by default.", valueName: "S")
    )
    var givenSeconds: Int?

    @Option(
        name: .customLong("repeats"),
        help: ArgumentHelp(
            "Real links: runs of each kind, 1 to 100; 3 by default.",
            valueName: "N"
        )
    )
    var givenRepeats: Int?

    @Option(
        help: ArgumentHelp(
            "ATT_MTU to measure, 23 to 517; repeatable. The default is 247 if simulated, "
                + "otherwise the link's own.",
            valueName: "N"
        )
    )
    var mtu: [Int] = []

    @Option(
        help: ArgumentHelp(
            "Also measure a window of N chunks, 1 to 512; repeatable.",
            valueName: "N"
        )
    )
    var window: [Int] = []

    @Option(
        help: ArgumentHelp(
            "Image size in bytes, 65536 to 67108864. The default is 524288 if simulated, "
                + "otherwise 1048576.",
            valueName: "N"
        )
    )
    var size: Int?

    var seconds: Int { givenSeconds ?? 5 }
    var repeats: Int { givenRepeats ?? 3 }

    /// The name of an option that only applies to real links, if one was given.
    var optionOfRealLinks: String? {
        if givenSeconds != nil { return "--seconds" }
        return givenRepeats == nil ? nil : "--repeats"
    }

    /// The windows to measure in addition.
    var extraModes: [WriteMode] {
        window.map { .withoutResponse(.fixed(chunkCount: $0)) }
    }

    func validate() throws {
        guard (1...600).contains(seconds) else {
            throw ValidationError("--seconds must be 1 to 600, not \(seconds)")
        }
        guard (1...100).contains(repeats) else {
            throw ValidationError("--repeats must be 1 to 100, not \(repeats)")
        }
        if let mtu = mtu.first(where: { !(23...517).contains($0) }) {
            throw ValidationError("an ATT_MTU must be 23 to 517, not \(mtu)")
        }
        let windows = 1...WindowPolicy.chunkCountMax
        if let window = window.first(where: { !windows.contains($0) }) {
            throw ValidationError(
                "a window must be 1 to \(windows.upperBound) chunks, not \(window)"
            )
        }
        if let size, !(LinkBench.imageByteCountMin...67_108_864).contains(size) {
            throw ValidationError("--size must be 65536 to 67108864 bytes, not \(size)")
        }
    }
}
