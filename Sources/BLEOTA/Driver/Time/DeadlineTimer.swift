import BLEOTACore
import Dispatch
import Synchronization

/// Calls back at a deadline that moves often, mostly to a later time. A new timer is set only if
/// the deadline moves to an earlier time; a timer that fires before the deadline re-arms itself.
final class DeadlineTimer: Sendable {
    private struct State {
        var deadline: Instant?
        /// When the earliest pending timer fires.
        var timerAt: Instant?
    }

    private static let queue = DispatchQueue(label: "bleota.timer")
    private let clock: MonotonicClock
    private let state = Mutex(State())
    private let callback: Mutex<(@Sendable () -> Void)?>

    init(clock: MonotonicClock) {
        self.clock = clock
        callback = Mutex(nil)
    }

    /// Sets the callback. Call it once, before the first ``arm(at:)``.
    func onFire(_ body: @escaping @Sendable () -> Void) {
        callback.withLock { $0 = body }
    }

    /// Moves the deadline, or removes it if `deadline` is `nil`.
    func arm(at deadline: Instant?) {
        let timer = state.withLock { state -> Instant? in
            state.deadline = deadline
            guard let deadline else { return nil }
            if let timerAt = state.timerAt, timerAt <= deadline { return nil }
            state.timerAt = deadline
            return deadline
        }
        if let timer { set(for: timer) }
    }

    /// Removes the deadline and the callback.
    func stop() {
        state.withLock { $0.deadline = nil }
        callback.withLock { $0 = nil }
    }

    private func set(for moment: Instant) {
        // Wait for at most one heartbeat, because the clock counts a long time without a reading as
        // a gap.
        let pause = min(max((moment - clock.now).rawValue, 0), MonotonicClock.heartbeat.rawValue)
        Self.queue.asyncAfter(deadline: .now() + .microseconds(Int(pause))) { [weak self] in
            self?.timerFired(setFor: moment)
        }
    }

    private func timerFired(setFor moment: Instant) {
        let now = clock.now
        let (isDue, timer) = state.withLock { state -> (Bool, Instant?) in
            if state.timerAt == moment { state.timerAt = nil }
            guard let deadline = state.deadline else { return (false, nil) }
            if now >= deadline {
                state.deadline = nil
                return (true, nil)
            }
            if let timerAt = state.timerAt, timerAt <= deadline { return (false, nil) }
            state.timerAt = deadline
            return (false, deadline)
        }
        if let timer { set(for: timer) }
        if isDue { callback.withLock { $0 }?() }
    }
}
