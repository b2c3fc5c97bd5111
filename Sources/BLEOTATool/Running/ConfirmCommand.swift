import ArgumentParser
import BLEOTA
import BLEOTAWire
import SystemPackage

/// `bleota confirm`: records for a receiver which image the device is running.
struct ConfirmCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "confirm",
        abstract: "Report the running image to waiting peers.",
        usage: """
            bleota confirm --store <DIR> --image <FILE> [<options>]
            bleota confirm --store <DIR> --sha256 <HEX> [<options>]
            """,
        discussion: """
            Run this on the device once the new image works. Give the running image and the \
            directory of the receiver. The receiver need not be stopped. Add --factory if the \
            image came with the device, and the receiver never had it.

            Examples:
              bleota confirm --store /var/lib/device --image /boot/firmware.bin
              bleota confirm --store /var/lib/device --image /boot/firmware.bin --factory
            """
    )

    @Option(
        help: ArgumentHelp("Directory of the receiver.", valueName: "DIR"),
        completion: .directory
    )
    var store: String

    @Option(
        help: ArgumentHelp("Image that the device is running.", valueName: "FILE"),
        completion: .file()
    )
    var image: String?

    @Option(
        help: ArgumentHelp("SHA-256 of that image, as 64 hexadecimal digits.", valueName: "HEX"),
        transform: SHA256Argument.init
    )
    var sha256: SHA256Argument?

    @Flag(help: "The image is on trial: the device may still revert to another one.")
    var onTrial = false

    @Flag(help: "The image came with the device; its receiver never had it.")
    var factory = false

    @OptionGroup(title: "Output") var outputOptions: OutputOptions

    func validate() throws {
        guard (image == nil) != (sha256 == nil) else {
            throw ValidationError("choose the running image: --image FILE or --sha256 HEX")
        }
    }

    func run() async throws {
        let reporter = Reporter(outputOptions)
        try await Command.run(reporter) {
            let hash =
                if let sha256 { sha256.bytes } else {
                    try FirmwareFile.sha256(ofFile: FilePath(argument: image ?? ""))
                }
            let state: RunningState = onTrial ? .onTrial : .confirmed
            let record = RunningRecord(directory: FilePath(argument: store))
            guard try factory || record.knows(hash) else {
                throw Failure(
                    .refused,
                    "The receiver of \(store) has no image with SHA-256 \(HexText.text(hash)); "
                        + "give the running image, or add --factory if it came with the device"
                )
            }
            try record.write(state, sha256: hash)
            reporter.event(
                JSONLine(event: "running").adding("state", "\(state)")
                    .adding("sha256", HexText.text(hash))
            )
            let name = state.text + String(repeating: " ", count: 14 - state.text.count)
            reporter.say(name + HexText.text(hash))
        }
    }
}
