import ArgumentParser
import BLEOTA
import BLEOTAManifest
import BLEOTAWire
import Glibc
import SystemPackage

/// `bleota verify`: checks the contents, the signatures and the date of a bundle.
struct VerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Check the contents and signatures of a bundle.",
        usage: "bleota verify <file> --key <FILE> [<options>]",
        discussion: """
            Exits with 0 if the image is intact in all its variants, each of them is signed with \
            one of the given keys, and the bundle has not expired; otherwise with 65.

            Example:
              bleota verify firmware.bleota --key release.pem.pub
            """
    )

    @Argument(help: "Bundle to check.", completion: .file(extensions: ["bleota"]))
    var file: String

    @Option(
        help: ArgumentHelp(
            "Trusted key, public or private; repeatable.",
            valueName: "FILE"
        ),
        completion: .file(extensions: ["pem", "pub"])
    )
    var key: [String]

    @OptionGroup(title: "Output") var outputOptions: OutputOptions

    func validate() throws {
        if key.isEmpty { throw ValidationError("--key must name a trusted key") }
    }

    func run() async throws {
        let reporter = Reporter(outputOptions)
        try await Command.run(reporter) { try verify(reporter) }
    }

    private func verify(_ reporter: Reporter) throws {
        let keys = try key.map { try KeyFile.verifyingKey(at: FilePath(argument: $0)) }
        let image = try FirmwareFile(contentsOf: FilePath(argument: file))
        guard image.manifest != nil else {
            throw Failure(
                .refused,
                "\(file) has no manifest; sign it with bleota sign"
            )
        }
        let prepared = try Firmware(image)
        ManifestReport(prepared, trusting: keys).tell(reporter)
        for manifest in prepared.variants.map(\.manifest)
        where !keys.contains(where: { manifest.isSigned(by: $0) }) {
            let known = Set(keys.map(\.id))
            let isWrong = manifest.signatures.contains { known.contains($0.keyID) }
            throw Failure(
                .refused,
                isWrong
                    ? "\(file) has a signature that is not valid, so the file was damaged, "
                        + "or changed after signing; get it again from its maker"
                    : "\(file) is not signed with any of these keys; give the key of its maker, "
                        + "or sign it"
            )
        }
        if let expiry = prepared.manifest.expiry, expiry < UInt64(time(nil)) {
            throw Failure(
                .refused,
                "\(file) expired after \(DayArgument.text(of: expiry)), so devices that know the "
                    + "date refuse it; sign the image again with a later --expires"
            )
        }
        reporter.event(JSONLine(event: "verified"))
        reporter.say("verified")
    }
}
