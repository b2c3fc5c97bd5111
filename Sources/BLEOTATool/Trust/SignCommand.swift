import ArgumentParser
import BLEOTA
import BLEOTAManifest
import BLEOTAWire
import SystemPackage

/// `bleota sign`: makes a bundle of an image and its signed manifest.
struct SignCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign",
        abstract: "Sign an image, and state which devices may install it.",
        usage: "bleota sign <image> --key <FILE> --output <FILE> [<options>]",
        discussion: """
            The bundle contains the image, its signed manifest, and a compressed form of the image \
            if that form is smaller. bleota push sends a bundle in the same way as an image. \
            Signing a bundle again keeps its contents and adds a signature. An image sealed with \
            --seal-for can be read only with the private key, and the bundle contains no unsealed \
            form of it.

            Examples:
              bleota sign firmware.bin --key release.pem --hardware acme/lamp:2-5 \\
                --version 2.1.0 --counter 7 --output firmware.bleota
              bleota sign firmware.bleota --key second.pem --output twice.bleota
            """
    )

    @Argument(help: "Image to sign, or bundle to sign again.", completion: .file())
    var image: String

    @Option(
        help: ArgumentHelp("Private key; repeatable.", valueName: "FILE"),
        completion: .file(extensions: ["pem", "pub"])
    )
    var key: [String]

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("Bundle to write.", valueName: "FILE"),
        completion: .file()
    )
    var output: String

    @Option(
        help: ArgumentHelp(
            "Hardware that may install the image.",
            valueName: "VENDOR/NAME[:LOW[-HIGH]]"
        ),
        transform: HardwareArgument.init
    )
    var hardware: HardwareArgument?

    @Option(help: ArgumentHelp("Component that the image is for.", valueName: "NAME"))
    var component: String?

    @Option(
        name: .customLong("version"),
        help: ArgumentHelp("Version; read from the image by default.", valueName: "TEXT")
    )
    var imageVersion: String?

    @Option(
        help: ArgumentHelp(
            "Security counter, up to 4294967295; lower ones are refused afterward.",
            valueName: "N"
        )
    )
    var counter: UInt32?

    @Option(
        help: ArgumentHelp(
            "Last day, in UTC, on which devices accept the image.",
            valueName: "YYYY-MM-DD"
        ),
        transform: DayArgument.init
    )
    var expires: DayArgument?

    @OptionGroup(title: "Variants") var variantOptions: SignVariantOptions
    @OptionGroup(title: "Image") var imageOptions: ImageOptions

    @OptionGroup(title: "Output") var forceOption: ForceOption

    @OptionGroup(title: "Output") var outputOptions: OutputOptions

    func validate() throws {
        if key.isEmpty { throw ValidationError("--key must name a private key") }
        try check(component, .component, "a component")
        try check(imageVersion, .version, "a version")
    }

    private func check(
        _ text: String?,
        _ type: ManifestAttributeType,
        _ what: String
    ) throws(ValidationError) {
        let allowed = type.valueByteCounts
        guard let text, !allowed.contains(text.utf8.count) else { return }
        throw ValidationError(
            "\(what) must be \(allowed.lowerBound) to \(allowed.upperBound) bytes long"
        )
    }

    func run() async throws {
        let reporter = Reporter(outputOptions)
        try await Command.run(reporter) { try sign(reporter) }
    }

    private func sign(_ reporter: Reporter) throws {
        let file = try bundleFile()
        let keys = try key.map { try KeyFile.signingKey(at: FilePath(argument: $0)) }
        let image = try imageOptions.image(at: FilePath(argument: image))
        let signed: Firmware
        if image.manifest == nil {
            signed = try Firmware(
                image,
                version: imageVersion,
                restrictions: restrictions,
                variants: try variantOptions.variants(),
                signedBy: keys
            )
        } else {
            guard saysNothing else {
                throw Failure(
                    .usage,
                    "\(self.image) is a bundle, whose restrictions can't be changed; sign the "
                        + "image itself instead"
                )
            }
            signed = try Firmware(image).signed(by: keys)
        }
        try signed.writeBundle(to: file.path)
        ManifestReport(signed, trusting: keys.map(\.verifyingKey)).tell(reporter)
        for region in image.otherRegions { reporter.say("left out      \(region)") }
        reporter.say("bundle        \(output)")
        if let expires, expires.isPast { reporter.printError(Self.refusedNote(expires)) }
    }

    private static func refusedNote(_ day: DayArgument) -> String {
        "bleota: note: \(DayArgument.text(of: day.lastSecond)) is past, so devices that know the "
            + "date refuse this bundle"
    }

    private func bundleFile() throws(Failure) -> OutputFile {
        try OutputFile(
            FilePath(argument: output),
            .bundle,
            inputs: [image, variantOptions.base].compactMap { $0.map { FilePath(argument: $0) } },
            keys: (key + variantOptions.sealFor).map { FilePath(argument: $0) },
            isForced: forceOption.force
        )
    }

    /// Whether no option describes the image.
    private var saysNothing: Bool {
        restrictions == ImageRestrictions() && imageVersion == nil && variantOptions.areDefault
    }

    private var restrictions: ImageRestrictions {
        var restrictions = ImageRestrictions()
        restrictions.hardware = hardware?.range
        restrictions.component = component
        restrictions.counter = counter
        restrictions.expiry = expires?.lastSecond
        return restrictions
    }
}
