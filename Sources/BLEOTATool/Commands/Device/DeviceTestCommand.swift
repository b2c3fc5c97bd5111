import ArgumentParser
import BLEOTA
import BLEOTASMP

/// `bleota device test`: has the device run an image on trial.
struct DeviceTestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Run an image on trial after the next restart.",
        usage: "bleota device test <hash> [--device <NAME> | --connect <TARGET>]",
        discussion: """
            The device returns to its present image at the restart after the next, unless the new \
            image is confirmed.

            Example:
              bleota device test 627e4bb5 --device kitchen
            """
    )

    @Argument(
        help: "Hash of the image, or its first digits.",
        transform: ImageHashArgument.init
    )
    var hash: ImageHashArgument

    @OptionGroup var target: DeviceTargetOptions

    func run() async throws {
        let hash = hash
        try await target.use { client, reporter in
            let hash = try hash.hash(among: try await client.images())
            _ = try await client.require(.setState(hash: hash, isForGood: false), .mark)
            reporter.event(JSONLine(event: "done"))
            reporter.note("pending; use bleota device reset to run the image")
        }
    }
}
