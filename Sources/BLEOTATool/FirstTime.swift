import Synchronization

/// A flag that can be taken once.
final class FirstTime: Sendable {
    private let isTaken = Atomic(false)

    func take() -> Bool { !isTaken.exchange(true, ordering: .relaxed) }
}
