/// How long chunks wait in queues: what their round trips have more than the shortest.
struct QueueDelay: BitwiseCopyable {
    /// After so many long waits in a row, during which the sender was slower than the link, what is
    /// left is no queue. They count from one and a half times the target on, and three times from
    /// twice the target on.
    private static var longCountMax: Int { 12 }

    /// The shortest round trip; `nil` before the first.
    private(set) var shortest: Microseconds?
    private var mean: Microseconds?
    /// How much waits differ from their mean: smoothed, as a round-trip timer has it.
    private var deviation = Microseconds.zero
    /// The waits in a row that were too long.
    private var longCount = 0
    private var shortestLong: Microseconds?
    private var longestLong = Microseconds.zero
    private var drainedSinceLongest = Microseconds.zero
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

    /// How long chunks should wait: 0.8 connection intervals, so that no event finds an empty
    /// queue, and more where busy hosts make waits of their own, as a queue cannot be told then.
    ///
    /// - Parameters:
    ///   - baseRoundTrip: of today, two connection intervals.
    ///   - first: the same as it was when the session began.
    func target(baseRoundTrip: Microseconds, first: Microseconds) -> Microseconds {
        // Without slow hosts a busy link answers within an interval, or a half more as polls fall.
        let atHosts = min(shortest ?? .zero, first) - first * 3 / 4
        let noise = min(deviation * 2, baseRoundTrip / 2 + .milliseconds(20))
        return max(baseRoundTrip * 2 / 5, noise) + max(atHosts, .zero)
    }

    /// Records a round trip of a sender that paces; returns what of it was spent in queues.
    ///
    /// - Parameters:
    ///   - target: more than this is too long.
    ///   - drained: by how much a queue became shorter, since the sender was slower than the link.
    mutating func record(
        _ roundTrip: Microseconds,
        target: Microseconds,
        drained: Microseconds
    ) -> Microseconds {
        let delay = note(roundTrip)
        let error = delay - (mean ?? delay)
        mean = (mean ?? delay) + error / 4
        deviation = deviation + (max(error, .zero - error) - deviation) / 4
        let isLong = delay * 2 > target * 3
        if !isLong { idleMin = idleMin * 15 / 16 }
        guard delay > target else {
            endLong()
            return delay
        }
        if isLong { longCount += delay > target * 2 ? 3 : 1 }
        shortestLong = min(shortestLong ?? roundTrip, roundTrip)
        if roundTrip >= longestLong {
            longestLong = roundTrip
            drainedSinceLongest = .zero
        } else {
            drainedSinceLongest = drainedSinceLongest + drained
        }
        guard longCount >= Self.longCountMax else { return delay }
        // A queue would be shorter now, and is: at most half of it by chance.
        let isDraining = (longestLong - roundTrip) * 2 > drainedSinceLongest
        if isDraining { endLong() } else { adoptAsBase() }
        return delay
    }

    /// Without a queue it takes that long now: another connection interval, or a slower receiver.
    private mutating func adoptAsBase() {
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
