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

    func validate() throws {
        if let hardware, hardware.hardware == nil {
            throw ValidationError("a device has one revision: --hardware VENDOR/NAME[:REVISION]")
        }
    }

    /// Whether it says who may write.
    var isDecided: Bool { allowUnsigned || !trust.isEmpty }

    func policy() throws(KeyError) -> ReceivePolicy {
        var policy = ReceivePolicy()
        policy.trustedKeys = try trust.map { file throws(KeyError) in
            try KeyFile.verifyingKey(at: FilePath(file))
        }
        policy.unsealingKeys = try unseal.map { file throws(KeyError) in
            try KeyFile.unsealingKey(at: FilePath(file))
        }
        if allowUnsigned { policy.takesUnsigned = true }
        policy.hardware = hardware?.hardware
        policy.component = component
        return policy
    }
}
