import Synchronization

/// Counts the threads that watches and consumers of one connection have.
final class ThreadAllowance: Sendable {
    private let max: Int
    private let count = Mutex(0)

    init(max: Int) { self.max = max }

    /// Counts one more, or throws ``NATSError/busy`` if there are as many as allowed.
    func take() throws(NATSError) {
        let isTaken = count.withLock { count in
            if count == max { return false }
            count += 1
            return true
        }
        if !isTaken { throw .busy }
    }

    func giveBack() {
        count.withLock { count in
            precondition(count > 0, "a thread was given back twice")
            count -= 1
        }
    }
}
