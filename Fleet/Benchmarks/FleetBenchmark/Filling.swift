import FleetModel
import FleetStore
import FleetTestSupport
import NATS

/// Fills a store as quickly as the server takes it, without waiting for each answer.
enum Filling {
    /// A server keeps up to 10,000 messages of a stream that it has not stored yet.
    private static let batchCount = 2_000
    private static let taskCount = 4

    static func fill(
        _ connection: NATSConnection,
        _ part: FleetStore.Part,
        count: Int,
        _ value: @escaping @Sendable (Int) -> (key: String, bytes: [UInt8])
    ) async throws {
        for start in stride(from: 0, to: count, by: batchCount) {
            let end = min(start + batchCount, count)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for task in 0..<taskCount {
                    group.addTask {
                        for number in stride(from: start + task, to: end, by: taskCount) {
                            let (key, bytes) = value(number)
                            let subject = Subject("$KV.\(part.bucket).\(key)")!
                            try await connection.publish(bytes, to: subject)
                        }
                    }
                }
                try await group.waitForAll()
            }
            let stream = StreamName("KV_\(part.bucket)")!
            try await eventually("\(end) are stored") {
                try await connection.state(of: stream).messageCount >= UInt64(end)
            }
        }
    }
}
