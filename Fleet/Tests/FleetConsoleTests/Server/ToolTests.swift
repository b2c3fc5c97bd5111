import FleetTestSupport
import Foundation
import NATS
import Testing

@testable import FleetConsole

@Suite("The commands that serve HTTP", .enabled(if: TestServer.isThere, "\(TestServer.isMissing)"))
struct ToolTests {
    private func run(_ site: Site, _ words: String...) async throws -> (code: Int32, text: String) {
        let log = site.server.folder.path("log-\(words[0])")
        let server = ["--server", site.server.address.description]
        let process = try ChildProcess(
            [Tool.path] + words + server,
            output: log,
            variables: Patience.variables
        )
        let code = try await process.end()
        return (code, String(decoding: TestFolder.read(log) ?? [], as: UTF8.self))
    }

    @Test("An address that another process has is an error of one sentence")
    func addressInUse() async throws {
        let site = try await Site()
        let address = "127.0.0.1:\(site.client.port)"
        let sentence =
            "bleota-fleet: \(address) can't be listened on: Address already in use; give another "
            + "address.\n"
        let console = try await run(
            site,
            "console",
            "--listen",
            address,
            "--token",
            site.server.folder.path("token")
        )
        #expect(console.code == 69 && console.text == sentence, "\(console)")
        let controller = try await run(site, "controller", "--metrics", address)
        #expect(controller.code == 69 && controller.text.hasSuffix(sentence), "\(controller)")
    }

    @Test("A token that others can read is refused")
    func exposed() async throws {
        let site = try await Site()
        let path = try site.server.folder.write(Secret.random().text + "\n", to: "token")
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        let result = try await run(site, "console", "--token", path, "--listen", "127.0.0.1:0")
        #expect(result.code == 77)
        #expect(result.text.hasPrefix("bleota-fleet: others can read the token in \(path)"))
    }

    @Test("SIGTERM ends a console that a browser follows, and counts as success")
    func terminated() async throws {
        let site = try await Site()
        let token = site.server.folder.path("token")
        let log = site.server.folder.path("console")
        let process = try ChildProcess(
            [
                Tool.path, "console", "--token", token, "--listen", "127.0.0.1:0", "--json",
                "--server", site.server.address.description,
            ],
            output: log,
            variables: Patience.variables
        )
        var port: UInt16?
        try await eventually("the console is ready") {
            let text = String(decoding: TestFolder.read(log) ?? [], as: UTF8.self)
            port = text.firstMatch(of: /127.0.0.1:(\d+)/).flatMap { UInt16($0.output.1) }
            return text.hasSuffix("\n") && port != nil
        }
        let client = HTTPClient(port: try #require(port))
        let text = String(decoding: TestFolder.read(token) ?? [], as: UTF8.self)
        let answer = try await client.post("/login", "token=\(text.dropLast())")
        let session = ["Cookie": try #require(answer.cookie)]
        let stream = try HTTPStream(port: client.port, "GET", "/events", session, "")
        _ = try await stream.read(until: "event: fleet")
        process.terminate()
        #expect(try await process.end() == 0)
        while await stream.read() != nil {}
    }

    @Test(
        "A console that other machines reach without TLS says what that means",
        arguments: [
            ("127.0.0.1:0", [], false), ("0.0.0.0:0", [], true),
            ("0.0.0.0:0", ["--behind-tls"], false),
        ] as [(String, [String], Bool)]
    )
    func plain(address: String, words: [String], isExposed: Bool) async throws {
        let site = try await Site()
        let log = site.server.folder.path("console")
        let process = try ChildProcess(
            [
                Tool.path, "console", "--token", site.server.folder.path("token"), "--listen",
                address,
            ]
                + ["--server", site.server.address.description] + words,
            output: log,
            variables: Patience.variables
        )
        func text() -> String { String(decoding: TestFolder.read(log) ?? [], as: UTF8.self) }
        try await eventually("the console is ready") { text().contains("the console is at") }
        #expect(text().contains("is without TLS, so whoever is between") == isExposed)
        process.terminate()
        #expect(try await process.end() == 0)
    }
}
