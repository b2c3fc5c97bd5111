import ArgumentParser
import SystemPackage

/// Whether and where to record datagrams.
struct TraceOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Record every datagram, to read with bleota decode.",
            valueName: "FILE"
        ),
        completion: .file()
    )
    var trace: String?

    @OptionGroup var forceOption: ForceOption

    var isForced: Bool { forceOption.force }

    /// The trace file, for a command that has another output too.
    var files: [FilePath] { trace.map { [FilePath(argument: $0)] } ?? [] }

    /// Begins the trace, if the user asked for one. The reporter ends it with the command.
    ///
    /// - Parameters:
    ///   - inputs: the files that the command reads.
    ///   - keys: those of the inputs that are keys.
    func open(
        _ reporter: Reporter,
        inputs: [FilePath] = [],
        keys: [FilePath] = []
    ) throws(Failure) -> TraceFile? {
        guard let trace else { return nil }
        let output = try OutputFile(
            FilePath(argument: trace),
            .trace,
            inputs: inputs,
            keys: keys,
            isForced: isForced
        )
        let file = try TraceFile(output)
        reporter.atEnd { () throws(Failure) in try file.end() }
        return file
    }
}
