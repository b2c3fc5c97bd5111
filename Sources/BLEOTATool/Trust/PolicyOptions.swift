import ArgumentParser
import BLEOTA
import SystemPackage

/// The rules for accepting images, except the rules about signatures, and what the receiver reports
/// about itself.
struct PolicyOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Unseal images with this private key; repeatable.",
            valueName: "FILE"
        ),
        completion: .file(extensions: ["pem"])
    )
    var unseal: [String] = []

    @Option(
        help: ArgumentHelp(
            "Sign receipts of the running image with this private key.",
            valueName: "FILE"
        ),
        completion: .file(extensions: ["pem"])
    )
    var deviceKey: String?

    @Option(
        help: ArgumentHelp(
            "Refuse images for other hardware.",
            valueName: "VENDOR/NAME[:REVISION]"
        ),
        transform: HardwareArgument.init
    )
    var hardware: HardwareArgument?

    @Option(help: ArgumentHelp("Refuse images for other components.", valueName: "NAME"))
    var component: String?

    @Option(
        help: ArgumentHelp(
            "Largest image to accept, in bytes, or with K, M or G; 256M by default.",
            valueName: "SIZE"
        ),
        transform: ByteCountArgument.init
    )
    var maxSize = ByteCountArgument.largestImage

    func validate() throws {
        if let hardware, hardware.hardware == nil {
            throw ValidationError(
                "a device has one revision; give --hardware VENDOR/NAME[:REVISION]"
            )
        }
    }

    /// The files of all keys in these options.
    var keyFiles: [FilePath] {
        (unseal + (deviceKey.map { [$0] } ?? [])).map { FilePath(argument: $0) }
    }

    func policy(_ trust: TrustOptions) throws(KeyError) -> AcceptancePolicy {
        var policy = AcceptancePolicy()
        policy.trustedKeys = try trust.trust.map { file throws(KeyError) in
            try KeyFile.publicKey(at: FilePath(argument: file))
        }
        policy.unsealingKeys = try unseal.map { file throws(KeyError) in
            try KeyFile.unsealingKey(at: FilePath(argument: file))
        }
        policy.deviceKey = try deviceKey.map { file throws(KeyError) in
            try KeyFile.signingKey(at: FilePath(argument: file))
        }
        if trust.allowUnsigned { policy.takesUnsigned = true }
        policy.hardware = hardware?.hardware
        policy.component = component
        return policy
    }
}
