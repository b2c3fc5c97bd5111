import FleetTestSupport
import NATS
import Testing

@Suite(
    "Feeds",
    .enabled(if: TestServer.isThere, "\(TestServer.isMissing)"),
    .timeLimit(.minutes(2))
)
struct FeedTests {
    private let server: TestServer
    private let bucket: Bucket

    init() async throws {
        server = try await TestServer()
        let connection = try await server.connect()
        bucket = try await connection.createBucket(BucketConfiguration(bucketName("orders")))
    }

    private func createFeed(again pause: Duration = .seconds(30)) async throws {
        try await bucket.createFeed(
            consumerName("east"),
            of: KeyFilter("east.*")!,
            again: pause,
            keysMax: 8
        )
    }

    /// Reads until as many entries have come.
    private func read(_ count: Int, of feed: BucketFeed) async throws -> [BucketEntry] {
        var entries: [BucketEntry] = []
        try await eventually("\(count) entries") {
            entries += try await feed.next(within: .milliseconds(500))
            return entries.count >= count
        }
        return entries
    }

    @Test("Gives the values that are there, then each change, of its own keys alone")
    func changes() async throws {
        let first = try await bucket.create(key("east.a"), bytes(1))
        _ = try await bucket.create(key("west.a"), bytes(2))
        try await createFeed()
        let feed = try await bucket.feed(consumerName("east"))
        #expect(try await read(1, of: feed).map(\.content) == [.value(bytes(1))])
        let second = try await bucket.update(key("east.a"), bytes(3), after: first)
        try await bucket.delete(key("east.a"), after: second)
        let last = try await read(1, of: feed)
        #expect(last.last?.key == key("east.a"))
        #expect(last.last?.content == .deleted)
        #expect(try await feed.next(within: .milliseconds(50)).isEmpty)
    }

    @Test("Gives a value again while it stands, also to a client that has started anew")
    func again() async throws {
        let revision = try await bucket.create(key("east.a"), bytes(1))
        _ = try await bucket.create(key("east.b"), bytes(2))
        try await createFeed(again: .milliseconds(300))
        var feed = try await bucket.feed(consumerName("east"))
        #expect(try await read(2, of: feed).map(\.key) == [key("east.a"), key("east.b")])
        #expect(try await Set(read(2, of: feed).map(\.key)) == [key("east.a"), key("east.b")])
        feed = try await bucket.feed(consumerName("east"))
        #expect(try await Set(read(2, of: feed).map(\.key)) == [key("east.a"), key("east.b")])
        try await bucket.delete(key("east.a"), after: revision)
        try await eventually("only the deletion of a comes") {
            try await feed.next(within: .seconds(1)).contains { $0.content == .deleted }
        }
        let rest = try await read(3, of: feed)
        #expect(rest.allSatisfy { $0.key == key("east.b") })
    }

    @Test("May be opened before it is made, and survives its server")
    func early() async throws {
        let feed = try await bucket.feed(consumerName("east"))
        #expect(try await feed.next(within: .milliseconds(50)).isEmpty)
        _ = try await bucket.create(key("east.a"), bytes(1))
        try await createFeed()
        #expect(try await read(1, of: feed).map(\.key) == [key("east.a")])
        server.kill()
        try await server.start()
        try await bucket.connection.awaitConnected(within: .seconds(30))
        try await eventually("it can be written to again") {
            (try? await bucket.create(key("east.b"), bytes(2))) != nil
        }
        try await eventually("the new value comes") {
            // For a moment after its start, a server has no streams yet.
            let entries = try? await feed.next(within: .milliseconds(500))
            return entries?.contains { $0.key == key("east.b") } == true
        }
    }

    @Test("A task that is cancelled doesn't wait for the next value")
    func cancelled() async throws {
        try await createFeed()
        let feed = try await bucket.feed(consumerName("east"))
        let task = Task { try await feed.next(within: .seconds(60)) }
        try await Task.sleep(for: .milliseconds(200))
        let start = ContinuousClock.now
        task.cancel()
        _ = try? await task.value
        #expect(ContinuousClock.now - start < .seconds(30))
    }

    @Test("Any server answers for one key, and says if there is none")
    func anyServer() async throws {
        let reader = bucket.connection.bucket(bucketName("orders"), reading: .anyServer)
        await #expect(throws: NATSError.notFound) { try await reader.get(key("east.a")) }
        let first = try await bucket.create(key("east.a"), bytes(1))
        let entry = try await reader.get(key("east.a"))
        #expect(entry.value == bytes(1) && entry.revision == first)
        let second = try await reader.update(key("east.a"), bytes(2), after: first)
        try await reader.delete(key("east.a"), after: second)
        await #expect(throws: NATSError.notFound) { try await reader.get(key("east.a")) }
        _ = try await reader.create(key("east.a"), bytes(3))
        // Nobody answers for a bucket that isn't there.
        let none = bucket.connection.bucket(bucketName("none"), reading: .anyServer)
        let error = await #expect(throws: NATSError.self) { try await none.get(key("east.a")) }
        #expect(error?.fault == .network)
    }

    @Test("A bucket takes no value above its limit, and one that is full may forget the oldest")
    func limits() async throws {
        var configuration = BucketConfiguration(bucketName("small"))
        configuration.valueByteCountMax = 100
        configuration.byteCountMax = 4_096
        configuration.forgetsOldest = true
        let small = try await bucket.connection.createBucket(configuration)
        let error = await #expect(throws: NATSError.self) {
            try await small.create(key("a"), [UInt8](repeating: 0, count: 1_000))
        }
        #expect(error?.fault == .operator)
        for number in 0..<100 { _ = try await small.create(key("k-\(number)"), bytes(number)) }
        let kept = try await small.keys()
        #expect(kept.contains(key("k-99")) && !kept.contains(key("k-0")))
    }
}
