import ArgumentParser
import BLEOTA
import BLEOTACore
import BLEOTASimulation

/// `bleota bench`: reports what a link can achieve, what it does achieve, and what to change.
struct BenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Measure a link, with and without response.",
        usage: """
            bleota bench --simulated [--phy <PHY>] [--interval <MS>] [<options>]
            bleota bench --yes
                         \(BenchTargetOptions.usage)
            """,
        discussion: """
            Prints what each way of writing makes of a link, then what the link could do, what it \
            does, and what to change.

            With --simulated the link is a model in virtual time: the same on every machine.

            To a device that runs bleota it sends random bytes, a part of an image in each run, \
            and takes them back: nothing becomes current, and nothing is left. But the device \
            writes them to its storage, as it does in any transfer, and may give up an unfinished \
            transfer of another image to make room; so it wants --yes. \
            Runs are interleaved; the figures are medians. The connection interval is an \
            estimate, from the time that a write request takes.

            Examples:
              bleota bench --simulated --phy 1M --interval 30 --mtu 185
              bleota bench --simulated --loss 1% --json
              bleota bench --simulated --interval 1 --frame-space 63
              bleota bench --device kitchen --yes --seconds 10
              bleota bench --connect unix:/run/device.socket --yes --mtu 23 --mtu 247
            """
    )

    @Flag(help: "Measure a simulated link.")
    var simulated = false

    @OptionGroup(title: "Real links") var target: BenchTargetOptions
    @OptionGroup(title: "Simulated link") var model: BenchModelOptions

    @Option(
        help: ArgumentHelp(
            "ATT_MTU to measure, 23 to 517; repeatable. The default is 247 if simulated, else the "
                + "link's own.",
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
            "Image size in bytes, 65536 to 67108864. The default is 524288 if simulated, else "
                + "1048576.",
            valueName: "N"
        )
    )
    var size: Int?

    @OptionGroup(title: "Output") var outputOptions: OutputOptions

    func validate() throws {
        guard target.count + (simulated ? 1 : 0) == 1 else {
            throw ValidationError("choose one link: --simulated, or \(BenchTargetOptions.names)")
        }
        if simulated, let option = target.optionGiven {
            throw ValidationError("\(option) needs \(BenchTargetOptions.names)")
        }
        if !simulated, let option = model.optionGiven {
            throw ValidationError("\(option) needs --simulated; a real link has its own")
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
        guard !simulated else { return }
        let size = Units.grouped(size ?? LinkBench.imageByteCount)
        guard target.yes else {
            throw ValidationError(
                "each run sends up to \(size) random bytes and has the device discard them, but "
                    + "the device writes them to its storage and may drop an unfinished transfer "
                    + "to make room; add --yes to proceed"
            )
        }
    }

    func run() async throws {
        let reporter = Reporter(outputOptions)
        let output = BenchOutput(outputOptions, reporter)
        guard !simulated else {
            return try await Command.run(
                reporter,
                stopping:
                    "finishing the transfers in progress"
            ) {
                try await simulate(output)
            }
        }
        try await Command.run(
            reporter,
            stopping: "telling the device to discard the data; interrupt again to exit now"
        ) {
            try await target.run { connector, facts in
                var bench = LinkBench(connector, facts: facts, output)
                bench.attMTUs = mtu
                bench.modes += extraModes
                bench.seconds = target.seconds
                bench.repeatCount = target.repeats
                bench.imageByteCount = size ?? LinkBench.imageByteCount
                try await bench.run()
            }
        }
    }

    private var extraModes: [WriteMode] {
        window.map { .withoutResponse(.fixed(chunkCount: $0)) }
    }

    private func simulate(_ output: BenchOutput) async throws {
        guard var radio = model.radio else { preconditionFailure("not validated") }
        for attMTU in mtu.isEmpty ? [247] : mtu {
            radio.attMTU = attMTU
            var bench = SimulatedBench(radio, output)
            for mode in extraModes where !bench.modes.contains(mode) { bench.modes.append(mode) }
            bench.imageByteCount = size
            try await bench.run()
        }
    }
}
