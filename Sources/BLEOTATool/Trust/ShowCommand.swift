import ArgumentParser
import BLEOTA
import SystemPackage

/// `bleota show`: shows the contents of an image or a bundle.
struct ShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show what an image or a bundle contains.",
        usage: "bleota show <file> [<options>]",
        discussion: """
            Example:
              bleota show firmware.bleota
            """
    )

    @Argument(help: "Image or bundle.", completion: .file())
    var file: String

    @OptionGroup(title: "Image") var imageOptions: ImageOptions

    @OptionGroup(title: "Output") var outputOptions: OutputOptions

    func run() async throws {
        let reporter = Reporter(outputOptions)
        try await Command.run(reporter) {
            let image = try imageOptions.image(at: FilePath(argument: file))
            reporter.event(JSONLine(event: "file").adding("format", image.format.rawValue))
            reporter.say("format        \(image.format.rawValue)")
            for region in image.otherRegions { reporter.say("left out      \(region)") }
            ManifestReport(try Firmware(image), trusting: []).tell(reporter)
        }
    }
}
