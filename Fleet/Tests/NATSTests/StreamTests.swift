import FleetTestSupport
import NATS
import Testing

@Suite("Streams", .enabled(if: TestServer.isThere, "\(TestServer.isMissing)"))
struct StreamTests {
    private let server: TestServer
    private let connection: NATSConnection
    private let name = streamName("outcomes")
    private let configuration: StreamConfiguration

    init() async throws {
        server = try await TestServer()
        connection = try await server.connect()
        configuration = StreamConfiguration(name, subjects: [SubjectFilter("outcome.>")!])
        try await connection.createStream(configuration)
    }

    @Test("A message with the same identity is stored once")
    func deduplication() async throws {
        let id = try #require(MessageID("device-7"))
        let first = try await connection.store([1], to: subject("outcome.7"), id: id)
        let second = try await connection.store([2], to: subject("outcome.7"), id: id)
        let other = try await connection.store([2], to: subject("outcome.7"))
        #expect([first, second, other].map(\.sequence) == [1, 1, 2])
        #expect([first, second, other].map(\.isDuplicate) == [false, true, false])
        #expect(try await connection.state(of: name).messageCount == 2)
    }

    @Test("A message with an expectation is stored only if it is met")
    func expectations() async throws {
        let (a, b) = (subject("outcome.a"), subject("outcome.b"))
        #expect(try await connection.store([], to: a, expecting: .lastOfSubject(nil)).sequence == 1)
        #expect(try await connection.store([], to: b, expecting: .lastInStream(1)).sequence == 2)
        for wrong in [PublishExpectation.lastOfSubject(nil), .lastOfSubject(2), .lastInStream(1)] {
            await #expect(throws: NATSError.revisionConflict) {
                try await connection.store([], to: a, expecting: wrong)
            }
        }
        #expect(try await connection.store([], to: a, expecting: .lastOfSubject(1)).sequence == 3)
        let state = try await connection.state(of: name)
        #expect(state.messageCount == 3)
        #expect(state.lastSequence == 3)
    }

    @Test("A stream's limits can be changed, and a stream deleted")
    func update() async throws {
        for _ in 0..<5 { _ = try await connection.store([1], to: subject("outcome.x")) }
        var smaller = configuration
        smaller.messagesMax = 2
        await #expect(throws: NATSError.exists) { try await connection.createStream(smaller) }
        try await connection.updateStream(smaller)
        #expect(try await connection.state(of: name).firstSequence == 4)
        try await connection.deleteStream(name)
        await #expect(throws: NATSError.notFound) { try await connection.state(of: name) }
        await #expect(throws: NATSError.notFound) { try await connection.updateStream(smaller) }
        await #expect(throws: NATSError.notFound) { try await connection.deleteStream(name) }
    }

    @Test("A subject has one stream, and a message without a stream isn't stored")
    func subjects() async throws {
        let error = await #expect(throws: NATSError.self) {
            try await connection.createStream(
                StreamConfiguration(streamName("other"), subjects: [SubjectFilter("outcome.7")!])
            )
        }
        #expect(error?.fault == .operator)
        await #expect(throws: NATSError.disconnected("nobody answers on the subject")) {
            try await connection.store([], to: subject("income.7"))
        }
        await #expect(throws: NATSError.wrongArgument("1 to 16 subjects")) {
            try await connection.createStream(StreamConfiguration(name, subjects: []))
        }
    }
}
