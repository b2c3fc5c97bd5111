/// A moment on the caller's own monotonic clock, in microseconds since an origin of its choice.
///
/// The machines never read a clock: every input carries the moment at which it happens. Threads
/// that read the clock and then wait for each other may bring moments out of order; one that lies
/// before that of an earlier input counts as that of the earlier input.
public struct Instant: Hashable, Comparable, Sendable, BitwiseCopyable {
    /// Microseconds since the origin.
    public let microseconds: Int64

    /// A moment this long after the origin.
    public init(microseconds: Int64) { self.microseconds = microseconds }

    /// A deadline that is none: past every moment, 146,000 years from the origin.
    static var never: Instant { Instant(microseconds: 1 << 62) }

    /// Moves on to `now`, never back; returns where it is then.
    @discardableResult
    @inline(never)
    mutating func advance(to now: Instant) -> Instant {
        self = max(self, now)
        return self
    }

    /// The earlier moment first.
    public static func < (left: Instant, right: Instant) -> Bool {
        left.microseconds < right.microseconds
    }

    // No clock comes to the end of 64 bits. One that says so gets moments out of order, no trap.

    /// The moment a span later.
    public static func + (moment: Instant, span: Microseconds) -> Instant {
        Instant(microseconds: moment.microseconds &+ span.rawValue)
    }

    /// The span between two moments, positive if the first is later.
    public static func - (left: Instant, right: Instant) -> Microseconds {
        Microseconds(left.microseconds &- right.microseconds)
    }
}

/// The earlier of two deadlines, either of which may be absent.
func earlier(_ left: Instant?, _ right: Instant?) -> Instant? {
    guard let left else { return right }
    guard let right else { return left }
    return min(left, right)
}
