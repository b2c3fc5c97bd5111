import ArgumentParser
import BLEOTA

/// The limits that a push and a pull share.
struct TransferLimitOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "ATT_MTU, 23 to 517; 247 by default, but over Bluetooth the largest possible.",
            valueName: "N"
        )
    )
    var mtu: Int?

    @Option(
        help: ArgumentHelp(
            "Seconds to wait; by default, 10 for a response, 30 for a new link and 60 for "
                + "progress. At least 600 while the device is busy.",
            valueName: "S"
        )
    )
    var timeout: Int?

    func validate() throws {
        if let mtu, !(23...517).contains(mtu) {
            throw ValidationError("an ATT_MTU must be 23 to 517, not \(mtu)")
        }
        if let timeout, !(1...3_600).contains(timeout) {
            throw ValidationError("--timeout must be 1 to 3600 seconds, not \(timeout)")
        }
    }

    /// Applies `--timeout` to each wait of a transfer.
    func apply(to options: inout PushOptions) {
        guard let timeout else { return }
        options.silenceLimit = .seconds(timeout)
        // A silent peer makes no progress either, but silence is the more useful error, so it
        // comes first.
        options.progressLimit = .seconds(timeout) * 1.1
        options.reconnectionLimit = .seconds(timeout)
        options.connectionLimit = .seconds(timeout)
    }
}
