import FleetTestSupport
import Glibc
import NATS
import Testing

@Suite("Connections", .enabled(if: TestServer.isThere, "\(TestServer.isMissing)"))
struct ConnectionTests {
    @Test("A connection knows the version of its server, and asks whoever listens")
    func connects() async throws {
        let server = try await TestServer()
        let connection = try await server.connect()
        #expect(try #require(connection.serverVersion) >= .oldest)
        let answer = try await connection.request([], to: subject("$SYS.REQ.USER.INFO"))
        #expect(String(decoding: answer, as: UTF8.self).contains("$G"))
        await #expect(throws: NATSError.disconnected("nobody answers on the subject")) {
            try await connection.request([], to: subject("nobody.listens"))
        }
    }

    @Test("Where nobody listens, there is no connection, and it is the network's fault")
    func nobody() async throws {
        let server = try await TestServer()
        server.kill()
        let error = await #expect(throws: NATSError.self) { try await server.connect() }
        #expect(error?.fault == .network)
    }

    @Test("With several servers, one that is there is found")
    func several() async throws {
        let (gone, there) = (try await TestServer(), try await TestServer())
        gone.kill()
        let options = ConnectionOptions(servers: [gone.address, there.address])
        #expect(try await NATSConnection.open(options).serverVersion != nil)
    }

    @Test(
        "An old server is refused with its version, or without it if it doesn't say",
        arguments: [
            (#"{"server":{"name":"\"ver\":\"2.99.0\"","ver":"2.9.10"}}"#, "2.9.10"),
            (#"{"server":{"ver":"2.10.29"}}"#, "2.10.29"), (#"{"server":{}}"#, nil), (nil, nil),
        ] as [(String?, String?)]
    )
    func old(answer: String?, version: String?) async throws {
        let server = try FakeServer(version: "2.9.10", answer: answer)
        let error = await #expect(throws: NATSError.self) {
            try await NATSConnection.open(ConnectionOptions(servers: [server.address]))
        }
        #expect(error == .serverTooOld(version.flatMap { ServerVersion($0) }))
        #expect(error?.fault == .operator)
        #expect(error?.description.contains("must be 2.11.0 or newer") == true)
    }

    /// A server that was halted after its greeting asks before it answers; a gateway that had just
    /// begun took that for a failure of the library, and ended as if it were broken.
    @Test(
        "A server that does not answer a greeting as expected is not reached, by no fault of libnats",
        arguments: [
            "PING", "-ERR 'Authentication Timeout'", "-ERR 'maximum connections exceeded'",
            "HTTP/1.1 400 Bad Request",
        ]
    )
    func unexpectedWelcome(line: String) async throws {
        let server = try FakeServer(version: "2.11.0", answer: nil, welcome: line)
        let error = await #expect(throws: NATSError.self) {
            try await NATSConnection.open(ConnectionOptions(servers: [server.address]))
        }
        guard case .disconnected = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    /// The port between servers was said to have forgotten the key of the user, and one of HTTP to
    /// be a server that had just died.
    @Test("What hangs up or says nothing is no server for clients, as far as this one knows")
    func otherPorts() async throws {
        for (welcome, greets, why) in [
            (nil, true, .hungUp), (nil, false, .hungUp), ("PONG", false, .silent),
        ] as [(String?, Bool, NATSError)] {
            let server = try FakeServer(
                version: "2.11.0",
                answer: nil,
                welcome: welcome,
                greets: greets
            )
            var options = ConnectionOptions(servers: [server.address])
            options.connectLimit = .milliseconds(300)
            await #expect(throws: why) { try await NATSConnection.open(options) }
        }
    }

    @Test("The oldest accepted server is accepted")
    func oldest() async throws {
        let server = try FakeServer(version: "2.11.0", answer: #"{"server":{"ver":"2.11.0"}}"#)
        let options = ConnectionOptions(servers: [server.address])
        #expect(try await NATSConnection.open(options).serverVersion == .oldest)
    }

    @Test("Files that aren't there are the fault of the caller, or of whoever took the seed away")
    func files() async throws {
        let folder = try TestFolder()
        let keys = try TestKeys(in: folder, name: "user")
        var options = ConnectionOptions(servers: [ServerAddress("localhost")!])
        options.credentials = .nkey(keys.key, seedFile: folder.path("none"))
        var error = await #expect(throws: NATSError.self) {
            try await NATSConnection.open(options)
        }
        #expect(error?.fault == .operator)
        options.credentials = .none
        options.tls = .init(authorities: folder.path("none"))
        error = await #expect(throws: NATSError.self) { try await NATSConnection.open(options) }
        #expect(error?.fault == .caller)
        error = await #expect(throws: NATSError.self) {
            try await NATSConnection.open(ConnectionOptions(servers: []))
        }
        #expect(error?.fault == .caller)
    }

    @Test("A payload that no server takes is refused before it is sent, the largest isn't")
    func payloads() async throws {
        let server = try await TestServer()
        let connection = try await server.connect()
        let largest = [UInt8](repeating: 7, count: Limits.payloadByteCountMax)
        try await connection.createStream(
            StreamConfiguration(streamName("s"), subjects: [SubjectFilter("s")!])
        )
        #expect(try await connection.store(largest, to: subject("s")).sequence == 1)
        let error = await #expect(throws: NATSError.self) {
            try await connection.store(largest + [7], to: subject("s"))
        }
        #expect(error?.fault == .caller)
    }

    @Test("After its end a connection says so, and leaves neither a thread nor a socket")
    func close() async throws {
        let server = try await TestServer()
        var connection: NATSConnection? = try await server.connect()
        let bucket = try await connection?.createBucket(BucketConfiguration(bucketName("b")))
        connection?.close()
        await #expect(throws: NATSError.closed("closed by this side")) {
            try await bucket?.create(key("k"), [])
        }
        await #expect(throws: NATSError.closed("closed by this side")) {
            try await connection?.awaitConnected(within: .seconds(1))
        }
        connection = nil
    }
}
