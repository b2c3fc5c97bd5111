/// Says BUSY after a tenth of a second and then every second, and whenever it is asked.
struct BusyTimer: BitwiseCopyable {
    private(set) var deadline: Instant

    init(from now: Instant) { deadline = now + .milliseconds(100) }

    /// A poll wants to know now.
    mutating func ask(at now: Instant) { deadline = min(deadline, now) }

    /// Whether BUSY has to be said now; then not again for a second.
    mutating func takeDue(at now: Instant) -> Bool {
        guard now >= deadline else { return false }
        deadline = now + .seconds(1)
        return true
    }
}
