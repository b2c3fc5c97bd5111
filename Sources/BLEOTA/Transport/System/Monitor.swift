import Synchronization

/// State behind a lock, on which one sending and one receiving task can wait.
///
/// A waiting task is parked as a continuation next to the state, and costs nothing until it is
/// woken. A wake-up only means "check again": ``wait(as:thenWaking:until:)`` repeats its attempt
/// each time, so a superfluous wake-up is harmless and none can be lost.
///
/// In another module, a monitor is a generic type that the compiler can't specialize, and a call
/// costs several times as much. The types that are called for each frame are therefore classes of
/// this module, such as ``DatagramQueue`` and ``UnprovenBytes``.
package final class Monitor<State: Sendable>: Sendable {
    /// The side on which a task waits. If a second task waits on the same side, that is a
    /// programming error and traps.
    package enum Side: Sendable { case sender, receiver }

    package enum Sides: Sendable { case none, sender, receiver, both }

    private struct Place {
        var parked: UnsafeContinuation<Void, Never>?
        /// Increases with each wake-up, so a task that is about to park detects one that it has
        /// just missed.
        var wakeUpCount: UInt64 = 0

        mutating func wake() -> UnsafeContinuation<Void, Never>? {
            wakeUpCount &+= 1
            return parked.take()
        }
    }

    private struct Contents {
        var state: State
        var sender = Place()
        var receiver = Place()

        subscript(side: Side) -> Place {
            get { side == .sender ? sender : receiver }
            set { if side == .sender { sender = newValue } else { receiver = newValue } }
        }

        mutating func wake(_ sides: Sides) -> WakeUp {
            switch sides {
            case .none: WakeUp(sender: nil, receiver: nil)
            case .sender: WakeUp(sender: sender.wake(), receiver: nil)
            case .receiver: WakeUp(sender: nil, receiver: receiver.wake())
            case .both: WakeUp(sender: sender.wake(), receiver: receiver.wake())
            }
        }
    }

    /// The tasks to resume, but not while the lock is held.
    private struct WakeUp {
        let sender: UnsafeContinuation<Void, Never>?
        let receiver: UnsafeContinuation<Void, Never>?

        func callAsFunction() {
            sender?.resume()
            receiver?.resume()
        }
    }

    private let contents: Mutex<Contents>

    package init(_ state: State) {
        contents = Mutex(Contents(state: state))
    }

    package func read<R: Sendable>(_ body: (borrowing State) -> R) -> R {
        contents.withLock { contents in body(contents.state) }
    }

    /// Changes the state, then wakes `sides` to check it again.
    @discardableResult
    package func update<R: Sendable>(waking sides: Sides = .none, _ body: (inout State) -> R) -> R {
        let (result, wakeUp) = contents.withLock { contents in
            let result = body(&contents.state)
            return (result, contents.wake(sides))
        }
        wakeUp()
        return result
    }

    /// Calls `attempt` once, under the lock. If the answer is usually available, call this method
    /// before ``wait(as:thenWaking:until:)``: it costs a quarter as much as the asynchronous call.
    ///
    /// - Parameter others: the sides to wake if `attempt` has returned an answer or thrown.
    package func attempt<R: Sendable, E: Error>(
        thenWaking others: Sides = .none,
        _ attempt: (inout State) throws(E) -> R?
    ) throws(E) -> R? {
        let (result, wakeUp) = contents.withLock { contents in
            let result = Self.outcome(of: attempt, on: &contents.state)
            return (result, result == nil ? nil : contents.wake(others))
        }
        wakeUp?()
        return try result?.get()
    }

    /// Calls `attempt`, under the lock, until it returns an answer or throws. Between two attempts,
    /// the task is parked on `side` until that side is woken.
    ///
    /// - Parameter others: the sides to wake once `attempt` has returned an answer or thrown.
    /// - Returns: the answer, or `nil` if the task is cancelled. If the task was cancelled before
    ///   the call, there is no attempt.
    package func wait<R: Sendable, E: Error>(
        as side: Side,
        thenWaking others: Sides = .none,
        until attempt: (inout State) throws(E) -> R?
    ) async throws(E) -> R? {
        if Task.isCancelled { return nil }
        while true {
            let wakeUpCount = contents.withLock { contents in contents[side].wakeUpCount }
            if let answer = try self.attempt(thenWaking: others, attempt) { return answer }
            if Task.isCancelled { return nil }
            await park(as: side, unlessWokenSince: wakeUpCount)
        }
    }

    /// Waits in the same way, but makes one attempt before the asynchronous call, because the
    /// answer is usually available.
    ///
    /// - Throws: any error that `attempt` throws; ``TransportError/cancelled`` if the task is
    ///   cancelled.
    func answer<R: Sendable>(
        as side: Side,
        until attempt: (inout State) throws(TransportError) -> R?
    ) async throws(TransportError) -> R {
        if Task.isCancelled { throw .cancelled }
        if let now = try self.attempt(attempt) { return now }
        guard let later = try await wait(as: side, until: attempt) else { throw .cancelled }
        return later
    }

    private static func outcome<R, E: Error>(
        of attempt: (inout State) throws(E) -> R?,
        on state: inout State
    ) -> Result<R, E>? {
        do throws(E) {
            return try attempt(&state).map { answer in .success(answer) }
        } catch {
            return .failure(error)
        }
    }

    private func park(as side: Side, unlessWokenSince wakeUpCount: UInt64) async {
        await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                let isParked = contents.withLock { contents in
                    // The cancellation handler may have run before there was a continuation to
                    // resume.
                    guard contents[side].wakeUpCount == wakeUpCount, !Task.isCancelled else {
                        return false
                    }
                    precondition(contents[side].parked == nil, "two tasks wait on the \(side) side")
                    contents[side].parked = continuation
                    return true
                }
                if !isParked { continuation.resume() }
            }
        } onCancel: {
            update(waking: side == .sender ? .sender : .receiver) { _ in }
        }
    }
}
