/// A recurring deadline for an action. The interval doubles each time, up to a limit.
struct Backoff: BitwiseCopyable {
    private(set) var deadline: Instant
    private var pause: Microseconds
    private let pauseMax: Microseconds
    private var isPending: Bool

    init(
        from now: Instant,
        first pause: Microseconds,
        max pauseMax: Microseconds,
        isPending: Bool = false
    ) {
        self.pause = min(pause, pauseMax)
        self.pauseMax = pauseMax
        self.isPending = isPending
        deadline = now + self.pause
    }

    /// Marks the action as due and sets the next deadline if the current one has passed.
    mutating func expire(at now: Instant) {
        guard now >= deadline else { return }
        isPending = true
        pause = min(pause * 2, pauseMax)
        deadline = now + pause
    }

    /// Returns whether the action is due, and clears that state.
    mutating func takePending() -> Bool {
        defer { isPending = false }
        return isPending
    }
}
