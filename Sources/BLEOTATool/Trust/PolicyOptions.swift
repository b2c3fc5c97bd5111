import ArgumentParser
import BLEOTA
import SystemPackage

/// What a receiver accepts.
struct PolicyOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Take images that the owner of this public key signed; may be given more than once.",
            valueName: "FILE"
        ),
        completion: .file()
    )
    var trust: [String] = []

    @Option(
        help: ArgumentHelp(
            "Open images that are sealed for this private key; may be given more than once.",
            valueName: "FILE"
        ),
        completion: .file()
    )
    var unseal: [String] = []

    @Flag(help: "Take images that nobody signed as well. Whoever is in range can write then.")
    var allowUnsigned = false

    @Option(
        help: ArgumentHelp(
            "What this device is: other images are refused.",
            valueName: "VENDOR/NAME[:REVISION]"
        ),
        transform: HardwareArgument.init
    )
    var hardware: HardwareArgument?

    @Option(help: ArgumentHelp("Which part of the device this is.", valueName: "NAME"))
    var component: String?

    @Option(
        help: ArgumentHelp(
            "The largest image to take, in bytes, or with K, M or G after it; by default 256M.",
            valueName: "BYTES"
        ),
        transform: ByteCountArgument.init
    )
    var maxSize = ByteCountArgument.largestImage

    func validate() throws {
        if let hardware, hardware.hardware == nil {
            throw ValidationError("a device has one revision: --hardware VENDOR/NAME[:REVISION]")
        }
    }

    /// The files of all keys.
    var keyFiles: [FilePath] { (trust + unseal).map { FilePath(argument: $0) } }

    /// Whether the options state which images to accept.
    var isDecided: Bool { allowUnsigned || !trust.isEmpty }

    func policy() throws(KeyError) -> AcceptancePolicy {
        var policy = AcceptancePolicy()
        policy.trustedKeys = try trust.map { file throws(KeyError) in
            try KeyFile.publicKey(at: FilePath(argument: file))
        }
        policy.unsealingKeys = try unseal.map { file throws(KeyError) in
            try KeyFile.unsealingKey(at: FilePath(argument: file))
        }
        if allowUnsigned { policy.takesUnsigned = true }
        policy.hardware = hardware?.hardware
        policy.component = component
        return policy
    }
}
