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
            The device returns to its present image at the restart after that, unless the new \
            image is confirmed.

            Example:
              bleota device test 627e…ce0a --device kitchen
            """
    )

    @Argument(
        help: "Hash of the image, as bleota device images prints it.",
        transform: ImageHashArgument.init
    )
    var hash: ImageHashArgument

    @OptionGroup var target: DeviceTargetOptions

    func run() async throws {
        let hash = hash.bytes
        try await target.use { client, reporter in
            _ = try await client.require(.setState(hash: hash, isForGood: false), .mark)
            reporter.event(JSONLine(event: "done"))
            reporter.note("pending; bleota device reset runs it")
        }
    }
}
