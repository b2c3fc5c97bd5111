import ArgumentParser

/// The limit on the file that a pull accepts.
struct PullTransferOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Largest file to accept, in bytes, or with K, M or G; 256M by default.",
            valueName: "SIZE"
        ),
        transform: ByteCountArgument.init
    )
    var maxSize = ByteCountArgument.largestImage
}
