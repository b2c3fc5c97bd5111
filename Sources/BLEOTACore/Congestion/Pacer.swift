/// Spreads chunks over time.
struct Pacer: BitwiseCopyable {
    /// How much of what was not sent in time may be sent at once: less than the shortest connection
    /// interval. What was not sent because the timer was late may, or a busy host would send slower
    /// than it should, measure that, and become slower and slower.
    private static var arrears: Microseconds { .milliseconds(5) }
    /// The window is the limit before that.
    private static var latenessMax: Microseconds { .seconds(1) }

    /// When the next chunk may be sent; `nil` if that is now.
    private(set) var opensAt: Instant?
    /// How late the last look at the time was.
    private var lateness = Microseconds.zero
    private var due = Instant(microseconds: 0)
    /// What is left over of the last chunk's spacing, below a microsecond.
    private var nanoseconds: Int64 = 0

    /// - Parameter grain: how long to wait beyond the next chunk's time, so that those of the time
    ///   go out together: waking up costs a host more than sending does.
    mutating func chunkSent(at now: Instant, rate: PacingRate, grain: Microseconds) {
        nanoseconds += rate.nanoseconds
        let earliest = now + (max(Self.arrears, lateness) + grain) * -1
        due = max(due, earliest) + Microseconds(nanoseconds / 1_000)
        nanoseconds %= 1_000
        opensAt = due > now ? due + grain : nil
    }

    mutating func update(at now: Instant) {
        guard let moment = opensAt, now >= moment else { return }
        lateness = min(now - moment, Self.latenessMax)
        opensAt = nil
    }
}
