import FleetTestSupport
import NATS
import Testing

@Suite("Security", .enabled(if: TestServer.isThere, "\(TestServer.isMissing)"))
struct SecurityTests {
    @Test("TLS is accepted if the authority is known and the name is right")
    func accepted() async throws {
        let folder = try TestFolder()
        let authority = try TestAuthority(in: folder, name: "ours", host: "localhost")
        let server = try await TestServer(authority.configuration, in: folder)
        var options = server.options
        options.tls = .init(authorities: authority.certificate)
        #expect(try await NATSConnection.open(options).serverVersion != nil)
    }

    @Test("A server whose authority is unknown is refused")
    func unknownAuthority() async throws {
        let folder = try TestFolder()
        let authority = try TestAuthority(in: folder, name: "theirs", host: "localhost")
        let other = try TestAuthority(in: folder, name: "ours", host: "localhost")
        let server = try await TestServer(authority.configuration, in: folder)
        var options = server.options
        options.tls = .init(authorities: other.certificate)
        await expectRefusedCertificate(options)
    }

    @Test("A server with the certificate of another name is refused")
    func otherName() async throws {
        let folder = try TestFolder()
        let authority = try TestAuthority(in: folder, name: "ours", host: "other.example")
        let server = try await TestServer(authority.configuration, in: folder)
        var options = server.options
        options.tls = .init(authorities: authority.certificate)
        await expectRefusedCertificate(options)
    }

    @Test("A server that is named by its IP address is refused unless the certificate has that")
    func address() async throws {
        for host in ["localhost", "127.0.0.1", "127.0.0.2"] {
            let folder = try TestFolder()
            let authority = try TestAuthority(
                in: folder,
                name: "ours",
                host: host,
                isAddress: host != "localhost"
            )
            let server = try await TestServer(authority.configuration, in: folder)
            var options = server.options
            options.servers = [ServerAddress("127.0.0.1:\(server.portNumber)")!]
            options.tls = .init(authorities: authority.certificate)
            if host == "127.0.0.1" {
                #expect(try await NATSConnection.open(options).serverVersion != nil)
            } else {
                await expectRefusedCertificate(options)
            }
        }
    }

    @Test("TLS that is asked for isn't given up for a server without it")
    func plainServer() async throws {
        let folder = try TestFolder()
        let authority = try TestAuthority(in: folder, name: "ours", host: "localhost")
        let server = try await TestServer(in: folder)
        var options = server.options
        options.tls = .init(authorities: authority.certificate)
        await #expect(throws: NATSError.self) { try await NATSConnection.open(options) }
    }

    private func expectRefusedCertificate(_ options: ConnectionOptions) async {
        let error = await #expect(throws: NATSError.self) {
            try await NATSConnection.open(options)
        }
        guard case .refusedCertificate = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(error?.fault == .operator)
    }

    /// A refusal ends a request at once, and not when it has waited for as long as it may.
    @Test(
        "The owner of a known key is accepted, and may use the subjects that are permitted",
        .timeLimit(.minutes(1))
    )
    func knownKey() async throws {
        let folder = try TestFolder()
        let keys = try TestKeys(in: folder, name: "user")
        let server = try await TestServer(
            """
            authorization { users: [ { nkey: \(keys.key), permissions: {
                publish: ["$SYS.REQ.USER.INFO", "$JS.API.>", "own.>"]
            } } ] }
            """,
            in: folder
        )
        var options = server.options
        options.credentials = .nkey(keys.key, seedFile: keys.seedFile)
        let connection = try await NATSConnection.open(options)
        let subjects = ["own.>", "other.>"].map { SubjectFilter($0)! }
        try await connection.createStream(
            StreamConfiguration(streamName("s"), subjects: subjects)
        )
        #expect(try await connection.store([1], to: subject("own.1")).sequence == 1)
        let error = await #expect(throws: NATSError.self) {
            try await connection.store([1], to: subject("other.1"))
        }
        guard case .notPermitted(let why) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(why.contains("other.1"))
        #expect(try await connection.state(of: streamName("s")).messageCount == 1)
    }

    @Test("Whoever has another key, or none, is refused")
    func unknownKey() async throws {
        let folder = try TestFolder()
        let keys = try TestKeys(in: folder, name: "user")
        let others = try TestKeys(in: folder, name: "other")
        let server = try await TestServer(
            "authorization { users: [ { nkey: \(keys.key) } ] }",
            in: folder
        )
        var options = server.options
        await expectRefusedCredentials(options)
        options.credentials = .nkey(others.key, seedFile: others.seedFile)
        await expectRefusedCredentials(options)
        // A thief of the public half.
        options.credentials = .nkey(keys.key, seedFile: others.seedFile)
        await expectRefusedCredentials(options)
    }

    /// The key of the bytes 0 to 31. With it, the signature of the first text begins with a byte 0,
    /// and that of the second is the one below: both computed by pyca/cryptography.
    @Test("A signature that libnats can't send is no refusal: the next connection has another")
    func unsendableSignature() async throws {
        let folder = try TestFolder()
        let server = try FakeServer(
            version: "2.11.0",
            answer: #"{"server":{"ver":"2.11.0"}}"#,
            nonces: ["nonce-000000292", "nonce-000000000"]
        )
        var options = ConnectionOptions(toTest: [server.address])
        let seed = "SUAAAAICAMCAKBQHBAEQUCYMBUHA6EARCIJRIFIWC4MBSGQ3DQOR4H776Y"
        options.credentials = .nkey(
            try #require(NKey("UAB2CB576PHBBPQ5ODORRZ2LYCMWPZGWGCN2KDK7DXOIMZASKUY3RLKK")),
            seedFile: try folder.write(seed + "\n", to: "seed")
        )
        let connection = try await NATSConnection.open(options)
        #expect(connection.serverVersion != nil)
        let signature =
            "6cof78_0rNGRxBE5lMGypMFRLr_luz7uv7iTBk5yUT6"
            + "1clhFVAVjzlXI-ClZIZSH2sB6RPs0FOZUkcJhk58tAA"
        #expect(server.connectLines.count == 1)
        #expect(server.connectLines.first?.contains(#""sig":"\#(signature)""#) == true)
    }

    @Test("A file that has no seed is named")
    func noSeed() async throws {
        let folder = try TestFolder()
        let nonces = ["one", "two", "three"]
        let server = try FakeServer(version: "2.11.0", answer: nil, nonces: nonces)
        let keys = try TestKeys(in: folder, name: "user")
        for text in ["", "no key", String(repeating: "x", count: 4_096)] {
            var options = ConnectionOptions(toTest: [server.address])
            options.credentials = .nkey(keys.key, seedFile: try folder.write(text, to: "empty"))
            let error = await #expect(throws: NATSError.self) {
                try await NATSConnection.open(options)
            }
            #expect(error?.description.contains("/empty") == true, "\(String(describing: error))")
        }
    }

    private func expectRefusedCredentials(_ options: ConnectionOptions) async {
        let error = await #expect(throws: NATSError.self) {
            try await NATSConnection.open(options)
        }
        guard case .refusedCredentials = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(error?.fault == .operator)
    }

    @Test("A user that may not ask for the version is told which permission is missing")
    func noVersion() async throws {
        let folder = try TestFolder()
        let keys = try TestKeys(in: folder, name: "user")
        let server = try await TestServer(
            """
            authorization { users: [ { nkey: \(keys.key), permissions: { publish: "own.>" } } ] }
            """,
            in: folder
        )
        var options = server.options
        options.credentials = .nkey(keys.key, seedFile: keys.seedFile)
        options.requestLimit = .seconds(2)
        let error = await #expect(throws: NATSError.self) {
            try await NATSConnection.open(options)
        }
        guard case .notPermitted(let why) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(why.contains("$SYS.REQ.USER.INFO"))
    }
}
