import ArgumentParser
import BLEOTA
import SystemPackage

/// `bleota confirm`: tells a receiver what the device runs.
struct ConfirmCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "confirm",
        abstract: "Say what this device runs, for peers that wait until it runs an image.",
        usage: "bleota confirm --store DIR --image FILE [<options>]",
        discussion: """
            Call it on the device when what it has started works: with the image that runs, as the \
            device has it, and the directory of its receiver, which may be running.

            Example:
              bleota confirm --store /var/lib/device --image /boot/firmware.bin
            """
    )

    @Option(
        help: ArgumentHelp("The directory of the receiver.", valueName: "DIR"),
        completion: .directory
    )
    var store: String

    @Option(
        help: ArgumentHelp("The image that runs.", valueName: "FILE"),
        completion: .file()
    )
    var image: String?

    @Option(
        help: ArgumentHelp("Or its SHA-256: 64 hexadecimal digits.", valueName: "HEX"),
        transform: SHA256Argument.init
    )
    var sha256: SHA256Argument?

    @Flag(help: "It runs on trial: the device goes back to another one unless it is confirmed.")
    var onTrial = false

    @OptionGroup(title: "Output") var outputOptions: OutputOptions

    func validate() throws {
        guard (image == nil) != (sha256 == nil) else {
            throw ValidationError("say what runs: --image FILE or --sha256 HEX")
        }
    }

    func run() async throws {
        let reporter = Reporter(outputOptions)
        try await Command.run(reporter) {
            let hash =
                if let sha256 { sha256.bytes } else {
                    try FirmwareImage.sha256(ofFile: FilePath(image ?? ""))
                }
            let state: RunningState = onTrial ? .onTrial : .confirmed
            try RunningRecord(directory: FilePath(store)).write(state, sha256: hash)
            reporter.event(
                JSONLine(event: "running").adding("state", "\(state)")
                    .adding("sha256", HexText.text(hash))
            )
            let name = state.text + String(repeating: " ", count: 14 - state.text.count)
            reporter.say(name + HexText.text(hash))
        }
    }
}
