import ArgumentParser
import BLEOTA
import BLEOTACore
import BLEOTAManifest
import BLEOTAWire
import SystemPackage

/// `bleota key`: keys that sign images, or for which images are sealed.
struct KeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key",
        abstract: "Generate and show keys that sign or seal images.",
        usage: "bleota key (generate | show) <file> [<options>]",
        discussion: """
            Example:
              bleota key generate release.pem
            """,
        subcommands: [GenerateCommand.self, ShowCommand.self]
    )

    /// `bleota key generate`.
    struct GenerateCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "generate",
            abstract: "Generate a key pair for signing or sealing.",
            usage: "bleota key generate <file> [<options>]",
            discussion: """
                FILE receives the private key, readable only by you, and FILE.pub the public one, \
                both in PEM as OpenSSL writes them. Signing keys are Ed25519 or P-256, and sealing \
                keys X25519. Most devices that verify signatures in hardware use P-256.

                Whoever has the private signing key can sign images that devices run: keep it \
                where builds are signed, with a backup elsewhere. Whoever has the private sealing \
                key can read images that are sealed for it: keep it on the devices.

                Examples:
                  bleota key generate release.pem
                  bleota key generate --algorithm p256 release.pem
                  bleota key generate --sealing lamps.pem
                """
        )

        @Argument(help: "File for the private key; it must not exist yet.")
        var file: String

        @Option(
            help: ArgumentHelp(
                "Signing algorithm; ed25519 by default.",
                valueName: "NAME"
            )
        )
        var algorithm: SigningKindArgument?

        @Flag(help: "Generate a sealing key instead of a signing key.")
        var sealing = false

        @OptionGroup(title: "Output") var outputOptions: OutputOptions

        func validate() throws {
            if sealing, algorithm != nil {
                throw ValidationError(
                    "--algorithm is for signing keys, and sealing keys are always X25519; choose "
                        + "one of --algorithm and --sealing"
                )
            }
        }

        func run() async throws {
            let reporter = Reporter(outputOptions)
            try await Command.run(reporter) {
                let id = try makeNewKey()
                reporter.event(
                    JSONLine(event: "key").adding("id", id.hex)
                        .adding("private", file).adding("public", publicFile.string)
                )
                reporter.say("key           \(id.hex)")
                if sealing {
                    reporter.say("private       \(file): for devices, with receive --unseal")
                    reporter.say("public        \(publicFile): for sign --seal-for")
                } else {
                    reporter.say("private       \(file): for sign --key; keep it secret")
                    reporter.say(
                        "public        \(publicFile): for receive --trust or key show --c"
                    )
                }
            }
        }

        private var publicFile: FilePath { FilePath(argument: file + ".pub") }

        /// A path at which no key can be created fails in the same way as the path of any other
        /// output.
        private func makeNewKey() throws(Failure) -> KeyID {
            do { return try makeKey() } catch {
                guard case .io = error.code else { throw Failure(error) }
                throw Failure(.cannotCreate, error.sentence)
            }
        }

        private func makeKey() throws(KeyError) -> KeyID {
            if sealing {
                let key = UnsealingKey.generate()
                try KeyFile.write(key, to: FilePath(argument: file), publicHalfTo: publicFile)
                return key.sealingKey.id
            }
            let key = SigningKey.generate(algorithm?.kind ?? .ed25519)
            try KeyFile.write(key, to: FilePath(argument: file), publicHalfTo: publicFile)
            return key.verifyingKey.id
        }
    }

    /// `bleota key show`.
    struct ShowCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Show the ID and the public half of keys.",
            usage: "bleota key show <file>... [<options>]",
            discussion: """
                With --c, the output is C source that firmware can include to trust signing keys: \
                the number of their algorithm, their IDs and their public halves.

                Example:
                  bleota key show release.pem.pub offline.pem.pub --c >release_key.h
                """
        )

        private enum PublicHalf {
            case signing(VerifyingKey)
            case sealing(SealingKey)
        }

        @Argument(help: "Public or private keys.", completion: .file())
        var files: [String]

        @Flag(name: .customLong("c"), help: "Print the public halves as C, for firmware.")
        var isForC = false

        @OptionGroup(title: "Output") var outputOptions: OutputOptions

        func run() async throws {
            let reporter = Reporter(outputOptions)
            try await Command.run(reporter) {
                let keys = try files.map { try Self.publicHalf(of: $0) }
                if isForC { return try showSource(of: keys, to: reporter) }
                for key in keys {
                    switch key {
                    case .signing(let key): show(key.id, key.kind.name, key.pem, to: reporter)
                    case .sealing(let key): show(key.id, "X25519", key.pem, to: reporter)
                    }
                }
            }
        }

        private func showSource(of halves: [PublicHalf], to reporter: Reporter) throws {
            var keys: [VerifyingKey] = []
            for (file, half) in zip(files, halves) {
                guard case .signing(let key) = half else {
                    throw Failure(
                        .usage,
                        "\(file) is a sealing key, which firmware in C can't use; give a "
                            + "signing key"
                    )
                }
                keys.append(key)
            }
            guard let source = KeySource(keys)?.text else {
                throw Failure(
                    .usage,
                    "these keys have several algorithms, and firmware has the code of one; give "
                        + "keys of one algorithm"
                )
            }
            for key in keys {
                reporter.event(
                    JSONLine(event: "key").adding("id", key.id.hex).adding("c", source)
                )
            }
            for line in source.split(separator: "\n", omittingEmptySubsequences: false) {
                reporter.say(String(line))
            }
        }

        private func show(_ id: KeyID, _ kind: String, _ pem: String, to reporter: Reporter) {
            reporter.event(
                JSONLine(event: "key").adding("id", id.hex).adding("algorithm", kind)
                    .adding("publicKey", pem)
            )
            reporter.say("key           \(id.hex)")
            reporter.say("algorithm     \(kind)")
            for line in pem.split(separator: "\n") { reporter.say(String(line)) }
        }

        private static func publicHalf(of file: String) throws(KeyError) -> PublicHalf {
            do throws(KeyError) {
                return .signing(try KeyFile.verifyingKey(at: FilePath(argument: file)))
            } catch {
                guard error.code == .wrongKind else { throw error }
                return .sealing(try KeyFile.sealingKey(at: FilePath(argument: file)))
            }
        }
    }
}
