import ArgumentParser
import BLEOTA
import BLEOTASimulation
import Glibc

/// `bleota simulate`: runs transfers in virtual time, with conditions drawn from seeds.
struct SimulateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Simulate transfers, each generated from a seed, in virtual time.",
        usage: """
            bleota simulate --seeds <N> [--from <S>] [<options>]
            bleota simulate --seed <S> [--trace <FILE>] [<options>]
            """,
        discussion: """
            Both ends run their real protocol code over a simulated link and store. The seed \
            determines the image, the abilities of both ends, and the faults: loss, damage, \
            stalls, cuts and restarts. Every frame is checked against the rules, and once the \
            faults stop, the image has to arrive. A seed gives the same run on every machine.

            A transfer that breaks a rule is reported with the command that repeats it. After \
            three such transfers the simulation stops.

            Examples:
              bleota simulate --seeds 1000
              bleota simulate --seeds 1000 --from 1000
              bleota simulate --seed 42 --trace run.trace
            """
    )

    @Option(help: ArgumentHelp("How many consecutive seeds to run.", valueName: "N"))
    var seeds: Int?

    @Option(help: ArgumentHelp("With --seeds, first seed; 0 by default.", valueName: "S"))
    var from: UInt64?

    @Option(help: ArgumentHelp("Run one seed, and print its scenario.", valueName: "S"))
    var seed: UInt64?

    @OptionGroup(title: "Output") var traceOption: TraceOption
    @OptionGroup(title: "Output") var outputOptions: OutputOptions

    func validate() throws {
        guard (seeds == nil) != (seed == nil) else {
            throw ValidationError(
                "choose what to run: --seeds N for many seeds, or --seed S for one"
            )
        }
        if let seeds, seeds < 1 { throw ValidationError("--seeds must be 1 or more, not \(seeds)") }
        if from != nil, seeds == nil {
            throw ValidationError("--from needs --seeds; --seed alone names the seed to run")
        }
        if traceOption.trace != nil, seed == nil {
            throw ValidationError("--trace needs --seed, because it records one transfer")
        }
        if let seeds, UInt64.max - (from ?? 0) < UInt64(seeds) - 1 {
            throw ValidationError(
                "\(seeds) seeds from \(from ?? 0) would exceed \(UInt64.max); give fewer"
            )
        }
    }

    func run() async throws {
        let reporter = Reporter(outputOptions)
        try await Command.run(
            reporter,
            stopping: "finishing the transfers in progress; interrupt again to exit now"
        ) {
            // Like any filter, the command ends when the reader of its output is gone.
            signal(SIGPIPE, SIG_DFL)
            if let seed {
                try replay(seed, reporter)
            } else {
                try await run(
                    SeedRange(first: from ?? 0, count: seeds ?? 0),
                    SimulationOutput(outputOptions, reporter)
                )
            }
        }
    }

    // MARK: - One

    private func replay(_ seed: UInt64, _ reporter: Reporter) throws {
        let trace = try traceOption.open(reporter)
        let output = SimulationOutput(outputOptions, reporter)
        let transfer = SimulatedTransfer(seed: seed)
        output.begin(transfer)
        trace?.write(comment: "bleota simulate --seed \(seed)")
        for option in transfer.options { trace?.write(comment: "\(option.name): \(option.value)") }
        let report = TrapNotice.naming(seed) {
            transfer.run(onTrace: trace.map { file in { file.write($0) } })
        }
        output.end(report)
        if report.violation != nil { throw SimulationSummary.failure([report]) }
    }

    // MARK: - Many

    private func run(_ range: SeedRange, _ output: SimulationOutput) async throws {
        let start = ContinuousClock.now
        var summary = SimulationSummary(range)
        output.begin(range)
        await range.run { report in
            summary.take(report)
            output.take(report, as: summary, since: start)
            return summary.violations.count < SimulationSummary.violationCountMax
        }
        output.end(summary, after: .now - start)
        if !summary.violations.isEmpty { throw SimulationSummary.failure(summary.violations) }
        if summary.transferCount < range.count { throw summary.interruption }
    }
}
