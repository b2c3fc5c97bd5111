import FleetTestSupport
import Glibc
import Testing

@testable import NATS

@Suite("A seed that is gone when it is needed again")
struct SeedTests {
    @Test("Is waited for as long as the limit, counted from the first failure since a success")
    func patience() {
        let start = ContinuousClock.now
        var patience = SeedPatience(limit: .seconds(60))
        func fails(after seconds: Int) -> Bool { patience.failed(at: start + .seconds(seconds)) }
        #expect(!fails(after: 0))
        #expect(!fails(after: 59))
        patience.signed()
        #expect(!fails(after: 70))
        #expect(!fails(after: 129))
        #expect(fails(after: 130))
        #expect(fails(after: 131))
    }

    @Test(
        "Is named with the cause, is used when it is back, and ends the connection after the limit",
        .enabled(if: TestServer.isThere, "\(TestServer.isMissing)"),
        .timeLimit(.minutes(2))
    )
    func connection() async throws {
        let folder = try TestFolder()
        let keys = try TestKeys(in: folder, name: "user")
        let server = try await TestServer(
            "authorization { users: [ { nkey: \(keys.key) } ] }",
            in: folder
        )
        var options = server.options
        options.credentials = .nkey(keys.key, seedFile: keys.seedFile)
        let patient = try await NATSConnection.open(options)
        options.seedLimit = .milliseconds(500)
        let impatient = try await NATSConnection.open(options)
        let seed = try #require(TestFolder.read(keys.seedFile))
        let problem = SeedProblem(keys.seedFile, .system(ENOENT))
        #expect(unlink(keys.seedFile) == 0)
        server.kill()
        try await server.start()

        try await awaitError(.noSeed(problem, isFinal: false), of: patient)
        try await awaitError(.noSeed(problem, isFinal: true), of: impatient)
        #expect("\(problem)" == "\(keys.seedFile) can't be read: No such file or directory")
        _ = try folder.write("no key", to: "user.seed")
        let other = SeedProblem(keys.seedFile, .noSeed)
        try await awaitError(.noSeed(other, isFinal: false), of: patient)
        _ = try folder.write(String(decoding: seed, as: UTF8.self), to: "user.seed")
        try await patient.awaitConnected(within: .seconds(60))
        // One that has been closed stays so.
        try await awaitError(.noSeed(problem, isFinal: true), of: impatient)
    }

    private func awaitError(_ error: NATSError, of connection: NATSConnection) async throws {
        try await eventually("\(error)") {
            do {
                try await connection.publish([], to: subject("any"))
                return false
            } catch let found as NATSError {
                return found == error
            }
        }
    }

    @Test(
        "Is named at the first connection",
        .enabled(if: TestServer.isThere, "\(TestServer.isMissing)")
    )
    func firstConnection() async throws {
        let folder = try TestFolder()
        let keys = try TestKeys(in: folder, name: "user")
        var options = try await TestServer(in: folder).options
        let missing = folder.path("missing")
        options.credentials = .nkey(keys.key, seedFile: missing)
        await #expect(
            throws: NATSError.noSeed(SeedProblem(missing, .system(ENOENT)), isFinal: true)
        ) { try await NATSConnection.open(options) }
    }
}
