import ArgumentParser
import SystemPackage

/// Whether to record datagrams, and where.
struct TraceOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Record every datagram in a file for bleota decode.",
            valueName: "FILE"
        ),
        completion: .file()
    )
    var trace: String?

    @OptionGroup var forceOption: ForceOption

    var isForced: Bool { forceOption.force }

    /// The trace as an additional output of a command.
    var files: [FilePath] { trace.map { [FilePath(argument: $0)] } ?? [] }

    /// Opens the trace, if one was requested. The reporter closes it at the end of the command.
    ///
    /// - Parameters:
    ///   - inputs: the files that the command reads.
    ///   - keys: the keys among them.
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
