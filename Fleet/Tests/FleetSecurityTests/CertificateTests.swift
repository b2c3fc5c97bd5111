import FleetTestSupport
import Testing

import struct SystemPackage.FilePath

/// The commands with which operators make certificates, as the page and the help show them.
@Suite("The certificates of an operator")
struct CertificateTests {
    /// The lines that begin with `openssl`, each one line without its prompt.
    private static func commands(in text: String) -> [String] {
        text.replacing("\\\n", with: " ").split(separator: "\n")
            .map { $0.drop { "$ ".contains($0) } }
            .filter { $0.hasPrefix("openssl req") }
            .map(String.init)
    }

    private static func page() throws -> String {
        let package = (0..<3).reduce(FilePath(#filePath)) { path, _ in
            path.removingLastComponent()
        }
        let page = package.removingLastComponent().appending("docs/fleet.md")
        return String(decoding: try #require(TestFolder.read(page.string)), as: UTF8.self)
    }

    /// Each server's key could make certificates for all others: openssl makes an authority unless
    /// it is told otherwise.
    @Test("A server's certificate is no authority", arguments: ["page", "help"])
    func servers(place: String) throws {
        let folder = try TestFolder()
        let help = [Tool.path, "help", "init", "configuration"]
        let text =
            place == "page" ? try Self.page() : try ChildProcess.output(of: help, in: folder)
        let commands = Self.commands(in: text)
        #expect(commands.count == 2)
        func run(_ command: String) throws -> String {
            let line = "cd '\(folder.path(""))' && \(command)"
            return try ChildProcess.output(of: ["sh", "-c", line], in: folder)
        }
        for command in commands { _ = try run(command) }
        #expect(try run("openssl x509 -in ca.pem -noout -text").contains("CA:TRUE"))
        let certificate = try run("openssl x509 -in nats-1.pem -noout -text")
        #expect(certificate.contains("CA:FALSE") && !certificate.contains("CA:TRUE"))
        #expect(certificate.contains("DNS:nats-1.example"))
        #expect(try run("openssl verify -CAfile ca.pem nats-1.pem").contains("OK"))
        // What the key of the server signs isn't believed.
        let other = commands[1]
            .replacing("-CA ca.pem -CAkey ca-key.pem", with: "-CA nats-1.pem -CAkey nats-1-key.pem")
            .replacing(
                "-keyout nats-1-key.pem -out nats-1.pem",
                with: "-keyout k.pem -out other.pem"
            )
        _ = try run(other.replacing("nats-1.example", with: "nats-2.example"))
        let verify = "openssl verify -CAfile ca.pem -untrusted nats-1.pem other.pem"
        #expect(throws: ChildProcess.Failure.self) { try run(verify) }
    }
}
