/// A deadline that moves away twice as far each time it passes, up to a limit, and whether what it
/// repeats is due.
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

    /// Sets the next deadline if one has passed.
    mutating func expire(at now: Instant) {
        guard now >= deadline else { return }
        isPending = true
        pause = min(pause * 2, pauseMax)
        deadline = now + pause
    }

    /// Whether what it repeats is due; then it is not any more.
    mutating func takePending() -> Bool {
        defer { isPending = false }
        return isPending
    }
}
