import ArgumentParser
import BLEOTA

/// The protocol of a push, and what a device that speaks SMP does with the image.
struct ActivationOptions: ParsableArguments {
    @Option(
        name: .customLong("protocol"),
        help: ArgumentHelp(
            "Protocol to use; by default one that suits the device and the file.",
            valueName: "PROTOCOL"
        )
    )
    var forcedProtocol: ProtocolArgument?

    @Flag(help: "Run the image on trial, and don't confirm it.")
    var test = false

    @Flag(help: "Run the image for good, without a trial.")
    var confirm = false

    @Flag(help: "Store the image, and don't run it.")
    var uploadOnly = false

    @Option(
        name: .customLong("image"),
        help: ArgumentHelp("Number of the device's image to replace.", valueName: "N")
    )
    var imageNumber = 0

    @Flag(help: "Have the device refuse an image that is not newer.")
    var upgradeOnly = false

    func validate() throws {
        let chosen = [test, confirm, uploadOnly].count { $0 }
        if chosen > 1 {
            throw ValidationError(
                "--test, --confirm and --upload-only exclude each other; choose one"
            )
        }
        if !(0...255).contains(imageNumber) {
            throw ValidationError("--image must be 0 to 255, not \(imageNumber)")
        }
    }

    /// Whether any option that applies only to devices with SMP is used.
    var areAny: Bool { test || confirm || uploadOnly || upgradeOnly || imageNumber != 0 }

    func options(_ push: PushOptions, isForced: Bool) -> UpdateOptions {
        var options = UpdateOptions(push: push)
        options.activation =
            test ? .test : confirm ? .confirm : uploadOnly ? .keep : .testThenConfirm
        options.imageNumber = imageNumber
        options.isUpgradeOnly = upgradeOnly
        options.isForced = isForced
        return options
    }
}
