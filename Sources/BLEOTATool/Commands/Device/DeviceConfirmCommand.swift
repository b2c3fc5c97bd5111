import ArgumentParser
import BLEOTA
import BLEOTASMP

/// `bleota device confirm`: has the device keep an image.
struct DeviceConfirmCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "confirm",
        abstract: "Keep the running image, or run another one for good.",
        usage: "bleota device confirm [<hash>] [--device <NAME> | --connect <TARGET>]",
        discussion: """
            Example:
              bleota device confirm --device kitchen
            """
    )

    @Argument(
        help: "Hash of the image, or its first digits; by default that of the running image.",
        transform: ImageHashArgument.init
    )
    var hash: ImageHashArgument?

    @OptionGroup var target: DeviceTargetOptions

    func run() async throws {
        let hash = hash
        try await target.use { client, reporter in
            let list = hash == nil ? nil : try await client.images()
            let request = try list.flatMap { try hash?.hash(among: $0) }
                .map { SMPRequest.setState(hash: $0, isForGood: true) }
            _ = try await client.require(request ?? .confirmRunning, .confirm)
            reporter.event(JSONLine(event: "done"))
            reporter.note(
                hash == nil
                    ? "confirmed" : "confirmed; the device will run the image after a restart"
            )
        }
    }
}
