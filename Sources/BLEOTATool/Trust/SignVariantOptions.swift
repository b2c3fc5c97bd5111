import ArgumentParser
import BLEOTA
import BLEOTAManifest
import SystemPackage

/// The variants of the image that a bundle contains.
struct SignVariantOptions: ParsableArguments {
    @OptionGroup var compression: CompressionOption

    @Option(
        help: ArgumentHelp(
            "Image that devices run now; the bundle gets a patch against it.",
            valueName: "FILE"
        ),
        completion: .file()
    )
    var base: String?

    @Option(
        help: ArgumentHelp("Seal the image for this public key; up to 3.", valueName: "FILE"),
        completion: .file(extensions: ["pub", "pem"])
    )
    var sealFor: [String] = []

    /// Whether no option was given.
    var areDefault: Bool { base == nil && sealFor.isEmpty && !compression.noCompression }

    func validate() throws {
        #if !Delta
        if base != nil {
            throw ValidationError(
                "this bleota was built without patch support, which --base needs; install a full "
                    + "build with make install"
            )
        }
        #endif
        let most = ManifestLayout.sealRecipientCountMax
        if sealFor.count > most {
            throw ValidationError(
                "an image can be sealed for at most \(most) keys, not \(sealFor.count)"
            )
        }
    }

    func variants() throws -> VariantOptions {
        var variants = VariantOptions()
        variants.isCompressed = !compression.noCompression
        variants.recipients = try sealFor.map { try KeyFile.sealingKey(at: FilePath(argument: $0)) }
        #if Delta
        variants.base = try base.map { try FirmwareFile(contentsOf: FilePath(argument: $0)) }
        #endif
        return variants
    }
}
