import ArgumentParser
import BLEOTA
import BLEOTACore
import BLEOTASimulation

/// `bleota bench`: measures a link, and suggests what to change.
struct BenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Measure writes over a link, with and without response.",
        usage: """
            bleota bench --simulated [--phy <PHY>] [--interval <MS>] [<options>]
            \(BenchTargetOptions.usage)
            """,
        discussion: """
            Measures each way of writing, and reports what is possible on the link, what was \
            measured, and what to change.

            A simulated link runs in virtual time, and gives the same result on every machine.

            On a real link, each run sends part of an image of random bytes to a device that runs \
            bleota, and then has the device discard it. The device writes the data to its storage, \
            and may drop an unfinished transfer of another image to make room, which is why --yes \
            is required. Runs of different kinds alternate, and the figures are medians. The \
            connection interval is estimated from the time that a write request takes.

            Examples:
              bleota bench --simulated --phy 1M --interval 30 --mtu 185
              bleota bench --simulated --loss 1% --json
              \(BenchTargetOptions.example)
            """
    )

    @Flag(help: "Measure a simulated link.")
    var simulated = false

    @OptionGroup var target: BenchTargetOptions
    @OptionGroup(title: "Measurement") var runOptions: BenchRunOptions
    @OptionGroup(title: "Simulated link") var model: BenchModelOptions
    @OptionGroup(title: "Output") var outputOptions: OutputOptions

    func validate() throws {
        guard target.count + (simulated ? 1 : 0) == 1 else {
            throw ValidationError("choose one link: --simulated, or \(BenchTargetOptions.names)")
        }
        if simulated, let option = target.optionGiven ?? runOptions.optionOfRealLinks {
            throw ValidationError("\(option) needs \(BenchTargetOptions.names)")
        }
        if !simulated, let option = model.optionGiven {
            throw ValidationError(
                "\(option) needs --simulated, because it describes the simulated link"
            )
        }
        guard !simulated else { return }
        let size = Units.grouped(runOptions.size ?? LinkBench.imageByteCount)
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
                bench.attMTUs = runOptions.mtu
                bench.modes += runOptions.extraModes
                bench.seconds = runOptions.seconds
                bench.repeatCount = runOptions.repeats
                bench.imageByteCount = runOptions.size ?? LinkBench.imageByteCount
                try await bench.run()
            }
        }
    }

    private func simulate(_ output: BenchOutput) async throws {
        guard var radio = model.radio else { preconditionFailure("not validated") }
        for attMTU in runOptions.mtu.isEmpty ? [247] : runOptions.mtu {
            radio.attMTU = attMTU
            var bench = SimulatedBench(radio, output)
            for mode in runOptions.extraModes where !bench.modes.contains(mode) {
                bench.modes.append(mode)
            }
            bench.imageByteCount = runOptions.size
            try await bench.run()
        }
    }
}
