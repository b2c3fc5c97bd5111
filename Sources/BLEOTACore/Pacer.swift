/// Spreads chunks over time.
struct Pacer: BitwiseCopyable {
    /// How much of what was not sent in time may be sent at once: less than the shortest connection
    /// interval, and more than a busy host's timers are late.
    private static var arrears: Microseconds { .milliseconds(5) }

    /// When the next chunk may be sent; `nil` if that is now.
    private(set) var opensAt: Instant?
    private var due = Instant(microseconds: 0)
    /// What is left over of the last chunk's spacing, below a microsecond.
    private var nanoseconds: Int64 = 0

    mutating func chunkSent(at now: Instant, spacing: ChunkSpacing) {
        nanoseconds += spacing.nanoseconds
        due = max(due, now + Self.arrears * -1) + Microseconds(nanoseconds / 1_000)
        nanoseconds %= 1_000
        opensAt = due > now ? due : nil
    }

    mutating func update(at now: Instant) {
        if let moment = opensAt, now >= moment { opensAt = nil }
    }
}
