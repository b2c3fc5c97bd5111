@testable import BLEOTA

/// Tells a test of each attempt that failed.
final class CountedConnector: Connector {
    private let base: any Connector
    private let (failures, continuation) = AsyncStream<Void>.makeStream()

    init(_ base: any Connector) { self.base = base }

    func connect() async throws(TransferError) -> any Transport {
        do throws(TransferError) {
            return try await base.connect()
        } catch {
            continuation.yield()
            throw error
        }
    }

    /// Waits until `count` more attempts have failed.
    func awaitFailures(_ count: Int) async {
        var failures = failures.makeAsyncIterator()
        for _ in 0..<count { await failures.next() }
    }
}
