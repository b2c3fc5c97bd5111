import ArgumentParser
import BLEOTA
import BLEOTACore

/// How a push writes to the link, and how long it waits for a confirmation.
struct PushTransferOptions: ParsableArguments {
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

    @Option(help: ArgumentHelp("With --wait-confirmed, seconds to wait.", valueName: "S"))
    var confirmTimeout = 300

    func validate() throws {
        if window != nil, burst != nil {
            throw ValidationError("--window and --burst exclude each other; choose one")
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
        return options
    }
}
