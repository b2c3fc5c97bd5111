import FleetTestSupport
import NATS
import Testing

@Suite("Buckets", .enabled(if: TestServer.isThere, "\(TestServer.isMissing)"))
struct BucketTests {
    private let server: TestServer
    private let connection: NATSConnection
    private let bucket: Bucket

    init() async throws {
        server = try await TestServer()
        connection = try await server.connect()
        bucket = try await connection.createBucket(BucketConfiguration(bucketName("leases")))
    }

    @Test("A value is written once, then only by who knows its revision")
    func compareAndSet() async throws {
        await #expect(throws: NATSError.notFound) { try await bucket.get(key("a.b")) }
        let first = try await bucket.create(key("a.b"), bytes(1))
        await #expect(throws: NATSError.revisionConflict) {
            try await bucket.create(key("a.b"), bytes(2))
        }
        #expect(try await bucket.get(key("a.b")).value == bytes(1))

        let second = try await bucket.update(key("a.b"), bytes(3), after: first)
        #expect(second > first)
        await #expect(throws: NATSError.revisionConflict) {
            try await bucket.update(key("a.b"), bytes(4), after: first)
        }
        let entry = try await bucket.get(key("a.b"))
        #expect(entry.value == bytes(3))
        #expect(entry.revision == second)
        #expect(entry.key == key("a.b"))
    }

    @Test("A key is deleted only by who knows its revision, and may then be created again")
    func delete() async throws {
        let first = try await bucket.create(key("k"), bytes(1))
        let second = try await bucket.update(key("k"), bytes(2), after: first)
        await #expect(throws: NATSError.revisionConflict) {
            try await bucket.delete(key("k"), after: first)
        }
        #expect(try await bucket.get(key("k")).value == bytes(2))
        try await bucket.delete(key("k"), after: second)
        await #expect(throws: NATSError.notFound) { try await bucket.get(key("k")) }
        await #expect(throws: NATSError.revisionConflict) {
            try await bucket.update(key("k"), bytes(3), after: second)
        }
        let third = try await bucket.create(key("k"), bytes(4))
        #expect(third > second)
        #expect(try await bucket.get(key("k")).value == bytes(4))
    }

    @Test("An empty value is a value")
    func emptyValue() async throws {
        _ = try await bucket.create(key("k"), [])
        #expect(try await bucket.get(key("k")).value == [])
        #expect(try await bucket.keys() == [key("k")])
    }

    @Test("Of sixteen writers at once exactly one wins each round")
    func sixteenWriters() async throws {
        var revision = try await bucket.create(key("k"), bytes(0))
        for _ in 0..<25 {
            let known = revision
            let wins = await withTaskGroup(of: (Int, Result<Revision, NATSError>).self) { group in
                for writer in 1...16 {
                    group.addTask {
                        do throws(NATSError) {
                            let value = bytes(writer)
                            let new = try await bucket.update(key("k"), value, after: known)
                            return (writer, .success(new))
                        } catch {
                            return (writer, .failure(error))
                        }
                    }
                }
                var wins: [(writer: Int, revision: Revision)] = []
                for await (writer, result) in group {
                    switch result {
                    case .success(let new): wins.append((writer, new))
                    case .failure(let error): #expect(error == .revisionConflict)
                    }
                }
                return wins
            }
            try #require(wins.count == 1)
            let entry = try await bucket.get(key("k"))
            #expect(number(entry.value) == wins[0].writer)
            #expect(entry.revision == wins[0].revision)
            revision = wins[0].revision
        }
    }

    @Test("Sixteen counters that try until they win lose no count")
    func counters() async throws {
        _ = try await bucket.create(key("k"), bytes(0))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 1...16 {
                group.addTask {
                    var written = 0
                    while written < 8 {
                        let entry = try await bucket.get(key("k"))
                        let next = bytes(number(entry.value)! + 1)
                        do {
                            _ = try await bucket.update(key("k"), next, after: entry.revision)
                            written += 1
                        } catch NATSError.revisionConflict {}
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(number(try await bucket.get(key("k")).value) == 128)
    }

    @Test("Keys are listed by a filter, without those that were deleted")
    func keys() async throws {
        #expect(try await bucket.keys() == [])
        for name in ["a.1", "a.2", "b.1"] { _ = try await bucket.create(key(name), bytes(1)) }
        let revision = try await bucket.create(key("a.3"), bytes(1))
        try await bucket.delete(key("a.3"), after: revision)
        #expect(try await bucket.keys() == [key("a.1"), key("a.2"), key("b.1")])
        #expect(try await bucket.keys(KeyFilter("a.*")!) == [key("a.1"), key("a.2")])
        #expect(try await bucket.keys(KeyFilter("*.1")!) == [key("a.1"), key("b.1")])
        #expect(try await bucket.keys(KeyFilter(key("b.1"))) == [key("b.1")])
        #expect(try await bucket.keys(KeyFilter("c.>")!) == [])
    }

    @Test("A bucket that differs isn't replaced, one that is the same is opened")
    func sameBucket() async throws {
        _ = try await bucket.create(key("k"), bytes(1))
        let again = try await connection.createBucket(BucketConfiguration(bucketName("leases")))
        #expect(try await again.get(key("k")).value == bytes(1))
        var other = BucketConfiguration(bucketName("leases"))
        other.history = .max
        await #expect(throws: NATSError.exists) { try await connection.createBucket(other) }
        #expect(try await connection.bucket(bucketName("leases")).get(key("k")).value == bytes(1))
        await #expect(throws: NATSError.notFound) {
            try await connection.bucket(bucketName("none"))
        }
    }

    @Test("A value that is older than the bucket keeps it is gone")
    func age() async throws {
        var configuration = BucketConfiguration(bucketName("short"))
        configuration.ageMax = .milliseconds(300)
        let short = try await connection.createBucket(configuration)
        _ = try await short.create(key("k"), bytes(1))
        try await eventually("the key is too old") {
            do {
                _ = try await short.get(key("k"))
                return false
            } catch NATSError.notFound {
                return true
            }
        }
        _ = try await short.create(key("k"), bytes(2))
    }

    @Test("The largest value is stored; three servers can't be had of one")
    func refusals() async throws {
        let largest = [UInt8](repeating: 1, count: Limits.payloadByteCountMax)
        _ = try await bucket.create(key("k"), largest)
        #expect(try await bucket.get(key("k")).value == largest)
        var configuration = BucketConfiguration(bucketName("three"))
        configuration.replicaCount = .three
        let error = await #expect(throws: NATSError.self) {
            try await connection.createBucket(configuration)
        }
        #expect(error?.fault == .operator)
    }
}
