import FleetTestSupport
import NATS
import Testing

@Suite(
    "A server that dies",
    .enabled(if: TestServer.isThere, "\(TestServer.isMissing)"),
    .timeLimit(.minutes(2))
)
struct RestartTests {
    /// Tries until there is a server again, as a caller does who may repeat an operation.
    private func retry<Value>(
        _ connection: NATSConnection,
        _ body: () async throws -> Value
    ) async throws -> Value {
        let deadline = ContinuousClock.now + .seconds(30)
        while true {
            do {
                return try await body()
            } catch let error as NATSError {
                guard error.fault == .network, ContinuousClock.now < deadline else { throw error }
                try await connection.awaitConnected(within: .seconds(30))
            }
        }
    }

    @Test("What was acknowledged is there, and the connection goes on")
    func acknowledged() async throws {
        let server = try await TestServer()
        let connection = try await server.connect()
        let bucket = try await connection.createBucket(BucketConfiguration(bucketName("b")))
        var revisions: [Key: Revision] = [:]
        // Written while the server dies, so that the last writes are cut.
        let writer = Task {
            var written: [Key: Revision] = [:]
            for number in 0... {
                let key = key("device.\(number)")
                guard let revision = try? await bucket.create(key, bytes(number)) else { break }
                written[key] = revision
            }
            return written
        }
        try await eventually("some are written") { try await bucket.keys().count >= 50 }
        server.kill()
        revisions = await writer.value
        #expect(revisions.count >= 50)
        let error = await #expect(throws: NATSError.self) { try await bucket.get(key("device.0")) }
        #expect(error?.fault == .network)
        #expect(connection.serverVersion == nil)
        await #expect(throws: NATSError.timeout) {
            try await connection.awaitConnected(within: .milliseconds(50))
        }

        try await server.start()
        try await connection.awaitConnected(within: .seconds(30))
        #expect(connection.serverVersion != nil)
        for (key, revision) in revisions {
            let entry = try await retry(connection) { try await bucket.get(key) }
            #expect(entry.revision == revision)
        }
        _ = try await bucket.create(key("new"), bytes(1))
    }

    @Test("A watch goes on with the revisions that are written later, and repeats none")
    func watch() async throws {
        let server = try await TestServer()
        let connection = try await server.connect()
        var configuration = BucketConfiguration(bucketName("b"))
        configuration.history = .max
        let bucket = try await connection.createBucket(configuration)
        var changes = try await bucket.watch().makeAsyncIterator()
        #expect(try await changes.next() == .caughtUp)
        var revision = try await bucket.create(key("k"), bytes(0))
        #expect(try await changes.next()?.entry?.revision == revision)
        for round in 1...3 {
            server.kill()
            try await server.start()
            for number in 1...5 {
                let known = revision
                revision = try await retry(connection) {
                    try await bucket.update(key("k"), bytes(round * 10 + number), after: known)
                }
            }
            for number in 1...5 {
                #expect(try await changes.next()?.entry?.value == bytes(round * 10 + number))
            }
        }
    }

    @Test("A watch says that a bucket was made anew, and begins again")
    func startedOver() async throws {
        let server = try await TestServer()
        let connection = try await server.connect()
        let other = try await server.connect()
        let configuration = BucketConfiguration(bucketName("b"))
        let bucket = try await connection.createBucket(configuration)
        for number in 1...3 { _ = try await bucket.create(key("\(number)"), bytes(number)) }
        var changes = try await bucket.watch().makeAsyncIterator()
        for number in 1...3 {
            #expect(try await changes.next()?.entry?.key == key("\(number)"))
        }
        #expect(try await changes.next() == .caughtUp)
        try await other.deleteBucket(bucketName("b"))
        let again = try await other.createBucket(configuration)
        _ = try await again.create(key("4"), bytes(4))
        server.kill()
        try await server.start()
        #expect(try await changes.next() == .startedOver)
        #expect(try await changes.next()?.entry?.key == key("4"))
        #expect(try await changes.next() == .caughtUp)
    }

    @Test("A consumer goes on, and gets again what wasn't acknowledged")
    func consumer() async throws {
        let server = try await TestServer()
        let connection = try await server.connect()
        let stream = streamName("jobs")
        try await connection.createStream(
            StreamConfiguration(stream, subjects: [SubjectFilter("job.>")!])
        )
        var configuration = ConsumerConfiguration(consumerName("gateway"))
        configuration.acknowledgementLimit = .seconds(2)
        let consumer = try await connection.openConsumer(configuration, of: stream)
        for number in 1...4 {
            _ = try await connection.store(bytes(number), to: subject("job.\(number)"))
        }
        var done: Set<Int?> = []
        for message in try await consumer.fetch(2, within: .seconds(5)) {
            try await message.acknowledge()
            done.insert(number(message.payload))
        }
        _ = try await consumer.fetch(1, within: .seconds(5))
        server.kill()
        try await server.start()
        try await eventually("all are done") {
            let messages = try await retry(connection) {
                try await consumer.fetch(4, within: .seconds(1))
            }
            for message in messages {
                #expect(done.insert(number(message.payload)).inserted)
                try await message.acknowledge()
            }
            return done.count == 4
        }
    }
}
