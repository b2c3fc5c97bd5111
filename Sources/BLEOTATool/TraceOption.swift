import ArgumentParser

/// Whether datagrams are recorded, and where.
struct TraceOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Write every datagram to this file, for bleota decode.",
            valueName: "FILE"
        ),
        completion: .file()
    )
    var trace: String?

    /// The file, if one is asked for.
    func open() throws(Failure) -> TraceFile? {
        guard let trace else { return nil }
        return try TraceFile(path: trace)
    }
}
