/// A deadline that moves away twice as far each time it passes, up to a limit.
struct Backoff: BitwiseCopyable {
    private(set) var deadline: Instant
    private var pause: Microseconds
    private let pauseMax: Microseconds

    init(from now: Instant, first pause: Microseconds, max pauseMax: Microseconds) {
        self.pause = min(pause, pauseMax)
        self.pauseMax = pauseMax
        deadline = now + self.pause
    }

    func isDue(at now: Instant) -> Bool { now >= deadline }

    /// Sets the next deadline, after one has passed.
    mutating func advance(at now: Instant) {
        pause = min(pause * 2, pauseMax)
        deadline = now + pause
    }
}
