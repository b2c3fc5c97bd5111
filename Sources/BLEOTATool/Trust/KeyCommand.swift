import ArgumentParser
import BLEOTA
import SystemPackage

/// `bleota key`: the keys that sign images.
struct KeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key",
        abstract: "Make and show the keys that sign images.",
        subcommands: [GenerateCommand.self, KeyShowCommand.self]
    )

    /// `bleota key generate`.
    struct GenerateCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "generate",
            abstract: "Make a new key: the private half to sign with, the public half for devices.",
            usage: "bleota key generate <file> [<options>]",
            discussion: """
                FILE gets the private key, and nobody but you may read it; FILE.pub gets the \
                public one. Both are PEM of Ed25519, as openssl has them. Whoever has the private \
                key can sign what devices run: keep it where builds are signed, and a copy \
                elsewhere.

                Example:
                  bleota key generate release.pem
                """
        )

        @Argument(help: "The file of the private key, which must not be there.")
        var file: String

        @OptionGroup(title: "Output") var outputOptions: OutputOptions

        func run() async throws {
            let reporter = Reporter(outputOptions)
            try await Command.run(reporter) {
                let key = SigningKey.generate()
                let publicFile = FilePath(file + ".pub")
                try KeyFile.write(key, to: FilePath(file))
                try KeyFile.write(key.verifyingKey, to: publicFile)
                reporter.event(
                    JSONLine(event: "key").adding("id", key.verifyingKey.id.hex)
                        .adding("private", file).adding("public", publicFile.string)
                )
                reporter.say("key           \(key.verifyingKey.id.hex)")
                reporter.say("private       \(file): sign with it, and let nobody have it")
                reporter.say("public        \(publicFile): for devices, with --trust")
            }
        }
    }

    /// `bleota key show`.
    struct KeyShowCommand: AsyncParsableCommand {
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
                let key = try KeyFile.verifyingKey(at: FilePath(file))
                reporter.event(
                    JSONLine(event: "key").adding("id", key.id.hex).adding("publicKey", key.pem)
                )
                reporter.say("key           \(key.id.hex)")
                reporter.say(key.pem.split(separator: "\n").joined(separator: "\n"))
            }
        }
    }
}
