import ArgumentParser
import BLEOTA
import BLEOTAManifest
import BLEOTAWire
import SystemPackage

/// `bleota sign`: creates a bundle of an image and its maker's statements about it.
struct SignCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign",
        abstract: "Sign an image, and state which devices may install it.",
        usage: "bleota sign <image> --key <FILE> --output <FILE> [<options>]",
        discussion: """
            The bundle holds the image and its signed manifest, and the image compressed if that \
            helps; push takes it as it takes a bare image. Signing a bundle again keeps what it \
            says and adds a signature. What is sealed with --seal-for can be read only by who has \
            the private key, and is in the bundle in no other variant.

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
        completion: .file()
    )
    var key: [String]

    @Option(
        help: ArgumentHelp(
            "Hardware that may install it, with one revision or a range.",
            valueName: "VENDOR/NAME[:LOW[-HIGH]]"
        ),
        transform: HardwareArgument.init
    )
    var hardware: HardwareArgument?

    @Option(help: ArgumentHelp("Component that it is for.", valueName: "NAME"))
    var component: String?

    @Option(
        name: .customLong("version"),
        help: ArgumentHelp("Version; read from the image by default.", valueName: "TEXT")
    )
    var imageVersion: String?

    @Option(
        help: ArgumentHelp(
            "Security counter: devices refuse images with a lower one afterwards.",
            valueName: "N"
        )
    )
    var counter: UInt32?

    @Option(
        help: ArgumentHelp(
            "Last day, in UTC, on which devices accept it.",
            valueName: "YYYY-MM-DD"
        ),
        transform: DayArgument.init
    )
    var expires: DayArgument?

    @Flag(help: "Don't compress the image, even if that would make it smaller.")
    var noCompression = false

    @Option(
        help: ArgumentHelp(
            "Image that devices run now, to add a patch against it.",
            valueName: "FILE"
        ),
        completion: .file()
    )
    var base: String?

    @Option(
        help: ArgumentHelp(
            "Seal the image for this public key; up to 3.",
            valueName: "FILE"
        ),
        completion: .file()
    )
    var sealFor: [String] = []

    @OptionGroup var imageOptions: ImageOptions

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("Bundle to write.", valueName: "FILE"),
        completion: .file()
    )
    var output: String

    @OptionGroup var forceOption: ForceOption

    @OptionGroup(title: "Output") var outputOptions: OutputOptions

    func validate() throws {
        if key.isEmpty { throw ValidationError("--key must name a private key") }
        #if !Delta
        if base != nil {
            throw ValidationError(
                "this bleota was built without patches, which --base needs; install a full build "
                    + "with make install"
            )
        }
        #endif
        try check(component, .component, "a component")
        try check(imageVersion, .version, "a version")
        let most = ManifestLayout.sealRecipientCountMax
        if sealFor.count > most {
            throw ValidationError(
                "an image can be sealed for at most \(most) keys, not \(sealFor.count)"
            )
        }
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
                variants: try variants(),
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
    }

    private func bundleFile() throws(Failure) -> OutputFile {
        try OutputFile(
            FilePath(argument: output),
            .bundle,
            inputs: [image, base].compactMap { $0.map { FilePath(argument: $0) } },
            keys: (key + sealFor).map { FilePath(argument: $0) },
            isForced: forceOption.force
        )
    }

    /// Whether the options add nothing to what a bundle already states.
    private var saysNothing: Bool {
        return base == nil && restrictions == ImageRestrictions() && imageVersion == nil
            && sealFor.isEmpty
            && !noCompression
    }

    private func variants() throws -> VariantOptions {
        var variants = VariantOptions()
        variants.isCompressed = !noCompression
        variants.recipients = try sealFor.map { try KeyFile.sealingKey(at: FilePath(argument: $0)) }
        #if Delta
        variants.base = try base.map { try FirmwareFile(contentsOf: FilePath(argument: $0)) }
        #endif
        return variants
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
