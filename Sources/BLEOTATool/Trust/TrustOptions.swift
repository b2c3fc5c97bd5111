import ArgumentParser
import BLEOTA
import SystemPackage

/// Whose images a receiver accepts.
struct TrustOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Accept images this public key verifies; repeatable.",
            valueName: "FILE"
        ),
        completion: .file(extensions: ["pub", "pem"])
    )
    var trust: [String] = []

    @Flag(help: "Accept images from anyone, signed or not.")
    var allowUnsigned = false

    /// The files of all keys in these options.
    var keyFiles: [FilePath] { trust.map { FilePath(argument: $0) } }

    /// Whether the options state whose images are accepted.
    var isDecided: Bool { allowUnsigned || !trust.isEmpty }
}
