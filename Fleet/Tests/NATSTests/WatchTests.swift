import FleetTestSupport
import NATS
import Testing

@Suite(
    "Watches",
    .enabled(if: TestServer.isThere, "\(TestServer.isMissing)"),
    .timeLimit(.minutes(2))
)
struct WatchTests {
    private let server: TestServer
    private let connection: NATSConnection
    private let bucket: Bucket

    init() async throws {
        server = try await TestServer()
        connection = try await server.connect()
        var configuration = BucketConfiguration(bucketName("b"))
        configuration.history = .max
        bucket = try await connection.createBucket(configuration)
    }

    @Test("A watch sees what is there, that this is all, and then every revision in its order")
    func everyRevision() async throws {
        var revision = try await bucket.create(key("k"), bytes(0))
        let watch = try await bucket.watch()
        var changes = watch.makeAsyncIterator()
        #expect(try await changes.next()?.entry?.value == bytes(0))
        #expect(try await changes.next() == .caughtUp)

        var revisions: [Revision] = []
        for number in 1...200 {
            revision = try await bucket.update(key("k"), bytes(number), after: revision)
            revisions.append(revision)
        }
        try await bucket.delete(key("k"), after: revision)
        for (index, revision) in revisions.enumerated() {
            let entry = try #require(try await changes.next()?.entry)
            #expect(entry.revision == revision)
            #expect(entry.value == bytes(index + 1))
        }
        let last = try #require(try await changes.next()?.entry)
        #expect(last.content == .deleted)
        #expect(last.key == key("k"))
    }

    @Test("With history, a watch begins with the revisions that are kept, else with the last")
    func history() async throws {
        var revision = try await bucket.create(key("k"), bytes(1))
        for number in 2...5 {
            revision = try await bucket.update(key("k"), bytes(number), after: revision)
        }
        var all = try await bucket.watch(history: true).makeAsyncIterator()
        for number in 1...5 { #expect(try await all.next()?.entry?.value == bytes(number)) }
        #expect(try await all.next() == .caughtUp)
        var last = try await bucket.watch().makeAsyncIterator()
        #expect(try await last.next()?.entry?.value == bytes(5))
        #expect(try await last.next() == .caughtUp)
    }

    @Test("In an empty bucket, or where no key matches, all has been seen at once")
    func empty() async throws {
        var changes = try await bucket.watch().makeAsyncIterator()
        #expect(try await changes.next() == .caughtUp)
        _ = try await bucket.create(key("a.1"), bytes(1))
        var others = try await bucket.watch(KeyFilter("b.*")!).makeAsyncIterator()
        #expect(try await others.next() == .caughtUp)
        _ = try await bucket.create(key("a.2"), bytes(2))
        _ = try await bucket.create(key("b.1"), bytes(3))
        #expect(try await others.next()?.entry?.key == key("b.1"))
    }

    /// The thread that reads the connection may be using the subscription when it ends.
    @Test("Watches may end while values still come")
    func endedEarly() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for first in 0..<16 {
                group.addTask { [bucket] in
                    for number in stride(from: first, to: 2_000, by: 16) {
                        _ = try await bucket.create(key("k\(number)"), bytes(number))
                    }
                }
            }
            try await group.waitForAll()
        }
        for _ in 0..<1_000 {
            var changes = try await bucket.watch().makeAsyncIterator()
            #expect(try await changes.next() != nil)
        }
    }

    @Test("A watch whose task is cancelled ends")
    func cancelled() async throws {
        let watch = try await bucket.watch()
        let reader = Task {
            var count = 0
            for try await _ in watch { count += 1 }
            return count
        }
        reader.cancel()
        #expect(try await reader.value <= 1)
    }

    @Test("A watch of a bucket that is deleted says so, whether or not anything is written")
    func deleted() async throws {
        await #expect(throws: NATSError.notFound) {
            let gone = bucketName("gone")
            let other = try await connection.createBucket(BucketConfiguration(gone))
            try await connection.deleteBucket(gone)
            _ = try await other.watch()
        }
    }

    @Test("There are only so many watches, and one that is released makes room")
    func tooMany() async throws {
        var watches: [BucketWatch] = []
        for _ in 0..<Limits.ownThreadsMax { watches.append(try await bucket.watch()) }
        await #expect(throws: NATSError.busy) { try await bucket.watch() }
        watches.removeLast()
        watches.append(try await bucket.watch())
        #expect(watches.count == Limits.ownThreadsMax)
    }

    /// The server that had the consumer may have died while the connection is to another one.
    @Test("A watch whose consumer the server has forgotten begins again, after its last change")
    func forgotten() async throws {
        let server = try await TestServer()
        let connection = try await server.connect()
        let bucket = try await connection.createBucket(BucketConfiguration(bucketName("b")))
        _ = try await bucket.create(key("before"), bytes(1))
        var changes = try await bucket.watch().makeAsyncIterator()
        #expect(try await changes.next()?.entry?.key == key("before"))
        #expect(try await changes.next() == .caughtUp)
        let answer = try await connection.request([], to: Subject("$JS.API.CONSUMER.NAMES.KV_b")!)
        let text = String(decoding: answer, as: UTF8.self)
        let name = try #require(text.firstMatch(of: #/"consumers":\["([^"]+)"\]/#)?.1)
        _ = try await connection.request(
            [],
            to: Subject("$JS.API.CONSUMER.DELETE.KV_b.\(name)")!
        )
        _ = try await bucket.create(key("after"), bytes(2))
        #expect(try await changes.next()?.entry?.key == key("after"))
    }

    @Test("A watch that isn't read for long misses no revision that the bucket keeps")
    func slowReader() async throws {
        var changes = try await bucket.watch().makeAsyncIterator()
        #expect(try await changes.next() == .caughtUp)
        let value = [UInt8](repeating: 7, count: 100_000)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<8 {
                group.addTask {
                    for number in 0..<60 {
                        _ = try await bucket.create(key("\(writer).\(number)"), value)
                    }
                }
            }
            try await group.waitForAll()
        }
        var keys: Set<Key> = []
        var last: Revision?
        while keys.count < 480, let entry = try await changes.next()?.entry {
            if let last { #expect(entry.revision > last) }
            last = entry.revision
            #expect(keys.insert(entry.key).inserted)
        }
        #expect(keys.count == 480)
    }
}

extension BucketChange {
    /// The entry, if it is one.
    var entry: BucketEntry? { if case .entry(let entry) = self { entry } else { nil } }
}
