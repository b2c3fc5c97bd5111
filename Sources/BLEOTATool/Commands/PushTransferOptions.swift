import ArgumentParser
import BLEOTA
import BLEOTACore

/// How a push writes to the link, and how long it waits.
struct PushTransferOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "ATT_MTU, 23 to 517; 247 by default, but over Bluetooth the largest possible.",
            valueName: "N"
        )
    )
    var mtu: Int?

    @Option(help: ArgumentHelp("How to write data.", valueName: "MODE"))
    var writeMode = WriteModeArgument.withoutResponse

    @Option(help: ArgumentHelp("Chunks in flight: auto, or 1 to 512.", valueName: "auto|N"))
    var window: WindowArgument?

    @Option(
        help: ArgumentHelp(
            "Send N chunks, then pause for MS milliseconds, or until they are acknowledged.",
            valueName: "N[:MS]"
        )
    )
    var burst: BurstArgument?

    @Option(help: TimeoutHelp.text)
    var timeout: Int?

    @Option(help: ArgumentHelp("With --wait-confirmed, seconds to wait.", valueName: "S"))
    var confirmTimeout = 300

    func validate() throws {
        if window != nil, burst != nil {
            throw ValidationError("--window and --burst exclude each other; choose one")
        }
        if let mtu, !(23...517).contains(mtu) {
            throw ValidationError("an ATT_MTU must be 23 to 517, not \(mtu)")
        }
        if let timeout, !(1...3_600).contains(timeout) {
            throw ValidationError("--timeout must be 1 to 3600 seconds, not \(timeout)")
        }
        if !(1...86_400).contains(confirmTimeout) {
            throw ValidationError(
                "--confirm-timeout must be 1 to 86400 seconds, not \(confirmTimeout)"
            )
        }
    }

    var options: PushOptions {
        var options = PushOptions()
        options.delivery = writeMode.delivery
        options.window = PushOptions.Window(burst?.policy ?? window?.policy ?? .automatic)
        if let timeout { options.limit(toSeconds: timeout) }
        return options
    }
}

extension PushOptions {
    /// Applies `--timeout` to each wait of a transfer.
    mutating func limit(toSeconds seconds: Int) {
        silenceLimit = .seconds(seconds)
        // A silent peer makes no progress either, but silence is the more useful error, so it
        // comes first.
        progressLimit = .seconds(seconds) * 1.1
        reconnectionLimit = .seconds(seconds)
        connectionLimit = .seconds(seconds)
    }
}

/// The help of `--timeout`.
enum TimeoutHelp {
    static let text = ArgumentHelp(
        "Seconds to wait for a response, for progress, and to reconnect; at least 600 for a busy "
            + "device.",
        valueName: "S"
    )
}
