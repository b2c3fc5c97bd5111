/// How long chunks wait in queues: what their round trips have more than the shortest.
struct QueueDelay: BitwiseCopyable {
    /// After so many long waits in a row, during which the sender was slower than the link, what is
    /// left is no queue. They count from one and a half times the target on, and three times from
    /// twice the target on.
    private static var longCountMax: Int { 12 }

    /// The shortest round trip; `nil` before the first.
    private(set) var shortest: Microseconds?
    /// The waits in a row that were too long.
    private var longCount = 0
    private var shortestLong: Microseconds?
    private var longestLong = Microseconds.zero
    /// What the idle round trip is at least, where waits turned out to be no queue. It fades, since
    /// a link that damages many packets makes waits of any length.
    private(set) var idleMin = Microseconds.zero

    /// Notes a round trip, which may be the shortest; returns what of it was spent in queues.
    @discardableResult
    mutating func note(_ roundTrip: Microseconds) -> Microseconds {
        let shortest = min(self.shortest ?? roundTrip, roundTrip)
        self.shortest = shortest
        return roundTrip - shortest
    }

    /// Takes a round trip of a sender that paces; returns what of it was spent in queues.
    ///
    /// - Parameter target: more than this is too long.
    mutating func take(_ roundTrip: Microseconds, target: Microseconds) -> Microseconds {
        let delay = note(roundTrip)
        guard delay > target else {
            endLong()
            idleMin = Microseconds(idleMin.rawValue * 15 / 16)
            return delay
        }
        if delay * 2 > target * 3 { longCount += delay > target * 2 ? 3 : 1 }
        shortestLong = min(shortestLong ?? roundTrip, roundTrip)
        longestLong = max(longestLong, roundTrip)
        if longCount >= Self.longCountMax { takeAsIdle() }
        return delay
    }

    /// Without a queue it takes that long now: another connection interval, or a slower receiver.
    private mutating func takeAsIdle() {
        shortest = shortestLong
        idleMin = max(idleMin, min(longestLong, .milliseconds(2_000)))
        endLong()
    }

    private mutating func endLong() {
        longCount = 0
        shortestLong = nil
        longestLong = .zero
    }
}
