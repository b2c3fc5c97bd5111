/// Says BUSY after a tenth of a second and then every second, and whenever it is asked.
struct BusyTimer: BitwiseCopyable {
    private(set) var deadline: Instant

    init(from now: Instant) { deadline = now + .milliseconds(100) }

    private init(deadline: Instant) { self.deadline = deadline }

    /// One that says nothing.
    static var off: BusyTimer { BusyTimer(deadline: .never) }

    var isOff: Bool { deadline == .never }

    /// A poll wants to know now.
    mutating func ask(at now: Instant) {
        if !isOff { deadline = min(deadline, now) }
    }

    /// Whether BUSY has to be said now; then not again for a second.
    mutating func takeDue(at now: Instant) -> Bool {
        guard now >= deadline else { return false }
        deadline = now + .seconds(1)
        return true
    }
}
