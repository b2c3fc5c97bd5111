import Synchronization

/// Counts bytes from several tasks.
final class ByteCounter: Sendable {
    private let count = Atomic(0)

    var total: Int { count.load(ordering: .relaxed) }

    func add(_ byteCount: Int) { count.add(byteCount, ordering: .relaxed) }
}
