import Synchronization

/// A registered handler, which is called as long as this instance exists.
public final class BlueZSubscription: Sendable {
    private let ending: Mutex<(@Sendable () -> Void)?>

    init(_ ending: @escaping @Sendable () -> Void) { self.ending = Mutex(ending) }

    deinit { end() }

    /// Ends the subscription without waiting for a call in progress.
    public func end() {
        let ending = ending.withLock { $0.take() }
        ending?()
    }
}
