/// The time that chunks wait in queues: the excess of their round trips over the shortest one.
struct QueueDelay: BitwiseCopyable {
    /// The number of consecutive long waits after which the delay is no longer attributed to a
    /// queue. During those waits the sender has been slower than the link, so a queue would have
    /// drained. A wait above 1.5 times the target counts once, and one above twice the target
    /// counts three times.
    private static var longCountMax: Int { 12 }

    /// The shortest round trip, or `nil` before the first sample.
    private(set) var shortest: Microseconds?
    private var mean: Microseconds?
    /// The deviation of waits from their mean, smoothed as in a retransmission timer.
    private var deviation = Microseconds.zero
    /// The number of consecutive long waits, with those above twice the target counted three
    /// times.
    private var longCount = 0
    private var shortestLong: Microseconds?
    private var longestLong = Microseconds.zero
    private var drainedSinceLongest = Microseconds.zero
    /// A lower bound for the idle round trip, set when long waits turn out not to be caused by a
    /// queue. It fades, because a link that damages many packets causes waits of any length.
    private(set) var idleMin = Microseconds.zero

    /// Records a round trip, which may be the shortest, and returns the part of it that was
    /// spent in queues.
    @discardableResult
    mutating func note(_ roundTrip: Microseconds) -> Microseconds {
        let shortest = min(self.shortest ?? roundTrip, roundTrip)
        self.shortest = shortest
        return roundTrip - shortest
    }

    /// Returns the time that chunks should wait: 0.8 connection intervals, so that no event
    /// finds an empty queue. The target is higher if busy hosts cause waits of their own, which
    /// can't be distinguished from a queue.
    ///
    /// - Parameters:
    ///   - baseRoundTrip: the current idle round trip, which is two connection intervals.
    ///   - first: the idle round trip at the beginning of the session.
    func target(baseRoundTrip: Microseconds, first: Microseconds) -> Microseconds {
        // With fast hosts, a busy link answers within one interval, or one and a half if polls
        // are badly timed.
        let atHosts = min(shortest ?? .zero, first) - first * 3 / 4
        let noise = min(deviation * 2, baseRoundTrip / 2 + .milliseconds(20))
        return max(baseRoundTrip * 2 / 5, noise) + max(atHosts, .zero)
    }

    /// Records a round trip of a paced sender, and returns the part of it that was spent in
    /// queues.
    ///
    /// - Parameters:
    ///   - target: the longest acceptable wait.
    ///   - drained: the time by which a queue has shortened because the sender was slower than
    ///     the link.
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
        // A queue would have shortened by now. A decrease of more than half the expected amount
        // is not considered chance.
        let isDraining = (longestLong - roundTrip) * 2 > drainedSinceLongest
        if isDraining { endLong() } else { adoptAsBase() }
        return delay
    }

    /// Adopts the present delay as that of an idle link: the connection interval is longer now,
    /// or the receiver is slower.
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
