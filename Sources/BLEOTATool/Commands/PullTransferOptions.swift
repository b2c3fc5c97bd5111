import ArgumentParser

/// The limits of a pull.
struct PullTransferOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "ATT_MTU, 23 to 517; 247 by default, but over Bluetooth the largest possible.",
            valueName: "N"
        )
    )
    var mtu: Int?

    @Option(help: TimeoutHelp.text)
    var timeout: Int?

    @Option(
        help: ArgumentHelp(
            "Largest file to accept, in bytes, or with K, M or G; 256M by default.",
            valueName: "SIZE"
        ),
        transform: ByteCountArgument.init
    )
    var maxSize = ByteCountArgument.largestImage

    func validate() throws {
        if let mtu, !(23...517).contains(mtu) {
            throw ValidationError("an ATT_MTU must be 23 to 517, not \(mtu)")
        }
        if let timeout, !(1...3_600).contains(timeout) {
            throw ValidationError("--timeout must be 1 to 3600 seconds, not \(timeout)")
        }
    }
}
