/// Spreads chunks over time.
struct Pacer: BitwiseCopyable {
    /// The largest backlog that may be sent at once, expressed as a time: less than a connection
    /// interval of 7.5 ms, the minimum before Core 6.2. A backlog that is due to a late timer may
    /// be larger. Otherwise a busy host would send too slowly, measure that rate, and become slower
    /// and slower.
    private static var arrears: Microseconds { .milliseconds(5) }
    /// The largest lateness that counts. A greater one does not matter, because the window becomes
    /// the limit long before that.
    private static var latenessMax: Microseconds { .seconds(1) }

    /// The time at which the next chunk may be sent, or `nil` if it may be sent now.
    private(set) var opensAt: Instant?
    /// The lateness of the most recent timer.
    private var lateness = Microseconds.zero
    private var due = Instant(microseconds: 0)
    /// The fraction of a microsecond in the last chunk's spacing, which is carried over to the next
    /// chunk.
    private var nanoseconds: Int64 = 0

    /// - Parameter grain: how long to wait after the next chunk is due, so that all chunks due
    ///   by then are sent together. Waking up costs a host more than sending.
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
