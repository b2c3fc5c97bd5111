import ArgumentParser
import BLEOTA
import SystemPackage

/// `bleota key`: the keys that sign images, or for which they are sealed.
struct KeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key",
        abstract: "Make and show keys that sign or seal images.",
        subcommands: [GenerateCommand.self, ShowCommand.self]
    )

    /// `bleota key generate`.
    struct GenerateCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "generate",
            abstract: "Make a new key: the private half to sign with, the public half for devices.",
            usage: "bleota key generate <file> [<options>]",
            discussion: """
                FILE gets the private key, and nobody but you may read it; FILE.pub gets the \
                public one. Both are PEM of Ed25519, or of X25519 with --sealing, as openssl has \
                them. Whoever has a private signing key can sign what devices run: keep it where \
                builds are signed, and a copy elsewhere. Images that are sealed for a public \
                sealing key can be read by who has the private one: that belongs on the devices.

                Example:
                  bleota key generate release.pem
                  bleota key generate --sealing lamps.pem
                """
        )

        @Argument(help: "The file of the private key, which must not be there.")
        var file: String

        @Flag(help: "Make a key for which images are sealed, and not one that signs.")
        var sealing = false

        @OptionGroup(title: "Output") var outputOptions: OutputOptions

        func run() async throws {
            let reporter = Reporter(outputOptions)
            try await Command.run(reporter) {
                let id = try makeKey()
                reporter.event(
                    JSONLine(event: "key").adding("id", id.hex)
                        .adding("private", file).adding("public", publicFile.string)
                )
                reporter.say("key           \(id.hex)")
                if sealing {
                    reporter.say("private       \(file): for devices, with --unseal")
                    reporter.say("public        \(publicFile): seal with it, with sign --seal-for")
                } else {
                    reporter.say("private       \(file): sign with it, and let nobody have it")
                    reporter.say("public        \(publicFile): for devices, with --trust")
                }
            }
        }

        private var publicFile: FilePath { FilePath(argument: file + ".pub") }

        private func makeKey() throws(KeyError) -> KeyID {
            if sealing {
                let key = UnsealingKey.generate()
                try KeyFile.write(key, to: FilePath(argument: file), publicHalfTo: publicFile)
                return key.sealingKey.id
            }
            let key = SigningKey.generate()
            try KeyFile.write(key, to: FilePath(argument: file), publicHalfTo: publicFile)
            return key.verifyingKey.id
        }
    }

    /// `bleota key show`.
    struct ShowCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Show the id and the public half of a key.",
            usage: "bleota key show <file> [<options>]"
        )

        @Argument(help: "The file of a public or a private key.", completion: .file())
        var file: String

        @OptionGroup(title: "Output") var outputOptions: OutputOptions

        func run() async throws {
            let reporter = Reporter(outputOptions)
            try await Command.run(reporter) {
                let (id, pem) = try publicHalf()
                reporter.event(
                    JSONLine(event: "key").adding("id", id.hex).adding("publicKey", pem)
                )
                reporter.say("key           \(id.hex)")
                for line in pem.split(separator: "\n") { reporter.say(String(line)) }
            }
        }

        private func publicHalf() throws(KeyError) -> (KeyID, pem: String) {
            do throws(KeyError) {
                let key = try KeyFile.verifyingKey(at: FilePath(argument: file))
                return (key.id, key.pem)
            } catch {
                guard error.code == .wrongKind else { throw error }
                let key = try KeyFile.sealingKey(at: FilePath(argument: file))
                return (key.id, key.pem)
            }
        }
    }
}
