import FleetTestSupport
import Foundation
import NATS
import Testing

/// Alone in its process, because it counts what the process has; scripts/test.sh sees to that.
@Suite(
    "Leaks",
    .enabled(if: TestServer.isThere, "\(TestServer.isMissing)"),
    .enabled(if: ProcessInfo.processInfo.environment["FLEET_TEST_ALONE"] != nil, "not alone")
)
struct LeakTests {
    @Test("Connections with watches and consumers leave no threads, descriptors or megabytes")
    func rounds() async throws {
        let server = try await TestServer()
        let first = try await server.connect()
        try await first.createStream(
            StreamConfiguration(streamName("s"), subjects: [SubjectFilter("s.>")!])
        )
        // The library starts threads of its own with the first connections, and keeps them.
        for _ in 0..<5 { try await round(server) }
        let before = (threads: count("task"), descriptors: count("fd"), bytes: residentByteCount)
        for _ in 0..<40 { try await round(server) }
        try await eventually("the threads and sockets are gone") {
            count("task") <= before.threads && count("fd") <= before.descriptors
        }
        // 40 messages of 256 KiB are 10 MiB.
        #expect(residentByteCount < before.bytes + 8 << 20)
    }

    private func round(_ server: TestServer) async throws {
        let connection = try await server.connect()
        let bucket = try await connection.createBucket(BucketConfiguration(bucketName("b")))
        let revision = try await bucket.create(
            key("k"),
            [UInt8](repeating: 1, count: 256 << 10)
        )
        #expect(try await bucket.keys() == [key("k")])
        try await bucket.delete(key("k"), after: revision)
        let consumer = try await connection.openConsumer(
            ConsumerConfiguration(consumerName("c")),
            of: streamName("s")
        )
        _ = try await connection.store([1], to: subject("s.1"))
        for message in try await consumer.fetch(1, within: .seconds(5)) {
            try await message.acknowledge()
        }
    }

    private func count(_ what: String) -> Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/\(what)").count) ?? 0
    }

    private var residentByteCount: Int {
        let text = String(decoding: TestFolder.read("/proc/self/statm") ?? [], as: UTF8.self)
        return (Int(text.split(separator: " ")[1]) ?? 0) * 4_096
    }
}
