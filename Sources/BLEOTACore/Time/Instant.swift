/// A point in time on the caller's monotonic clock, in microseconds since an arbitrary origin.
///
/// The state machines never read a clock. Instead, every input carries the time at which it
/// occurs. Threads that read the clock and then wait for each other may deliver inputs out of
/// order. An input whose time is before that of an earlier input is treated as if it came at
/// the earlier input's time.
public struct Instant: Hashable, Comparable, Sendable, BitwiseCopyable {
    /// The number of microseconds since the origin.
    public let microseconds: Int64

    /// Creates an instant this many microseconds after the origin.
    public init(microseconds: Int64) { self.microseconds = microseconds }

    /// An instant that is never reached: 146,000 years after the origin.
    package static var never: Instant { Instant(microseconds: 1 << 62) }

    /// Advances to `now` unless that is earlier, and returns the result.
    @discardableResult
    @inline(never)
    mutating func advance(to now: Instant) -> Instant {
        self = max(self, now)
        return self
    }

    /// Whether the left instant is earlier than the right one.
    public static func < (left: Instant, right: Instant) -> Bool {
        left.microseconds < right.microseconds
    }

    // No real clock overflows 64 bits. If one does, instants wrap and compare in the wrong
    // order, but the program does not trap.

    /// Returns the instant that is `span` later.
    public static func + (moment: Instant, span: Microseconds) -> Instant {
        Instant(microseconds: moment.microseconds &+ span.rawValue)
    }

    /// Returns the span between two instants, positive if the left one is later.
    public static func - (left: Instant, right: Instant) -> Microseconds {
        Microseconds(left.microseconds &- right.microseconds)
    }
}

/// Returns the earlier of two deadlines, either of which may be absent.
func earlier(_ left: Instant?, _ right: Instant?) -> Instant? {
    guard let left else { return right }
    guard let right else { return left }
    return min(left, right)
}
