import ArgumentParser
import BLEOTA
import BLEOTASMP

/// `bleota device confirm`: has the device keep an image.
struct DeviceConfirmCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "confirm",
        abstract: "Keep the image that runs, or run another one for good.",
        usage: "bleota device confirm [<hash>] [--device <NAME> | --connect <TARGET>]",
        discussion: """
            Example:
              bleota device confirm --device kitchen
            """
    )

    @Argument(
        help: "Hash of the image; the one that runs if left out.",
        transform: ImageHashArgument.init
    )
    var hash: ImageHashArgument?

    @OptionGroup var target: DeviceTargetOptions

    func run() async throws {
        let hash = hash?.bytes
        try await target.use { client, reporter in
            let request = hash.map { SMPRequest.setState(hash: $0, isForGood: true) }
            _ = try await client.require(request ?? .confirmRunning, .confirm)
            reporter.event(JSONLine(event: "done"))
            reporter.note(hash == nil ? "confirmed" : "confirmed; runs after the next restart")
        }
    }
}
