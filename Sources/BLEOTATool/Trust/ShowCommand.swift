import ArgumentParser
import BLEOTA
import SystemPackage

/// `bleota show`: what a file is and says.
struct ShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show what an image or a bundle says of itself; checks its hashes.",
        usage: "bleota show <file> [<options>]"
    )

    @Argument(help: "The image or the bundle.", completion: .file())
    var file: String

    @Option(
        help: ArgumentHelp("Which region of an Intel HEX file, from 1.", valueName: "N")
    )
    var region: Int?

    @OptionGroup(title: "Output") var outputOptions: OutputOptions

    func run() async throws {
        let reporter = Reporter(outputOptions)
        try await Command.run(reporter) {
            let image = try FirmwareImage(contentsOf: FilePath(file), region: region)
            reporter.event(JSONLine(event: "file").adding("format", image.format.rawValue))
            reporter.say("format        \(image.format.rawValue)")
            ManifestReport(try PreparedImage(image), trusting: []).tell(reporter)
        }
    }
}
