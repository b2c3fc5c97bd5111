import Synchronization

/// Keeps a handler called for as long as this lives.
public final class BlueZSubscription: Sendable {
    private let ending: Mutex<(@Sendable () -> Void)?>

    init(_ ending: @escaping @Sendable () -> Void) { self.ending = Mutex(ending) }

    deinit { end() }

    /// Ends it now; a call that is under way is not waited for.
    public func end() {
        let ending = ending.withLock { $0.take() }
        ending?()
    }
}
