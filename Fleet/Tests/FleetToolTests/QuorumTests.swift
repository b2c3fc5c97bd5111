import ArgumentParser
import FleetStore
import FleetTestSupport
import NATS
import Testing

@testable import FleetTool

@Suite(
    "A fleet without most of its servers",
    .enabled(if: TestServer.isThere, "\(TestServer.isMissing)")
)
struct QuorumTests {
    /// A server that is there, and two that aren't.
    private func options(_ server: TestServer) throws -> (ServerOptions, silent: [ServerAddress]) {
        let silent = try (0..<2).map { _ in ServerAddress("localhost:\(try FreePort.next())")! }
        let words = ([server.address] + silent).flatMap { ["--server", $0.description] }
        return (try ServerOptions.parse(words), silent)
    }

    /// Only an error in the first question of a command named them.
    @Test("Names the servers that do not answer whatever a command was doing")
    func named() async throws {
        let server = try await TestServer()
        let (options, silent) = try options(server)
        for error in [NATSError.timeout, .noLeader, .nobodyAnswers] {
            let failure = await #expect(throws: ToolFailure.self) {
                try await Command.run(on: options) { () async throws(ToolFailure) in
                    throw ToolFailure(FleetStoreError.nats(error))
                }
            }
            #expect(failure?.status == .unavailable)
            let start = "2 of 3 servers do not answer: \(silent[0]), \(silent[1]); "
            #expect(failure?.sentence.hasPrefix(start) == true, "\(failure?.sentence ?? "")")
        }
    }

    /// They were only counted.
    @Test("Names the servers that do not answer even if enough others do")
    func namedBesideMajority() throws {
        let servers = (1...5).map { ServerAddress("nats-\($0).example")! }
        for (count, words) in [
            (3, "\(servers[3]), \(servers[4]) do not answer; run"),
            (4, "\(servers[4]) does not answer; run"), (5, "run"),
        ] {
            let (answering, silent) = (servers.prefix(count), servers.dropFirst(count))
            let failure = ToolFailure(Quorum(answering: Array(answering), silent: Array(silent)))
            #expect(failure.status == .temporary)
            let start =
                "\(count) of 5 servers answer, but they have no leader yet; \(words) the same "
            #expect(failure.sentence.hasPrefix(start), "\(failure.sentence)")
        }
    }

    @Test("An error of another kind stays, and so does one of the only server")
    func others() async throws {
        let server = try await TestServer()
        let (options, _) = try options(server)
        let alone = try ServerOptions.parse(["--server", server.address.description])
        for (options, error) in [(options, NATSError.notFound), (alone, .timeout)] {
            let failure = await #expect(throws: ToolFailure.self) {
                try await Command.run(on: options) { () async throws(ToolFailure) in
                    throw ToolFailure(error)
                }
            }
            #expect(failure?.sentence == ToolFailure(error).sentence)
            #expect(failure?.status == .temporary)
        }
    }
}
