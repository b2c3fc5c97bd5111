/// The deadline of a receiver's state: when it has to say BUSY or REQUEST, or forget RESULT.
struct ReceiverTimer: BitwiseCopyable {
    private(set) var deadline: Instant

    init(until deadline: Instant) { self.deadline = deadline }

    /// One that never is due.
    static var off: ReceiverTimer { ReceiverTimer(until: .never) }

    /// One that says BUSY after a tenth of a second and then every second, and whenever it is
    /// asked.
    static func busy(from now: Instant) -> ReceiverTimer {
        ReceiverTimer(until: now + .milliseconds(100))
    }

    var isOff: Bool { deadline == .never }

    func isDue(at now: Instant) -> Bool { now >= deadline }

    /// A poll wants to know now.
    mutating func ask(at now: Instant) { deadline = min(deadline, now) }

    /// Whether BUSY has to be said now; then not again for a second.
    mutating func takeDue(at now: Instant) -> Bool {
        guard isDue(at: now) else { return false }
        deadline = now + .seconds(1)
        return true
    }
}
