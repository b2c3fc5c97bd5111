/// A span of time in whole microseconds. Swift's `Duration` has 128 bits, and a microcontroller
/// would have to emulate its arithmetic.
public struct Microseconds: Hashable, Comparable, Sendable, BitwiseCopyable {
    /// The number of microseconds, which may be negative.
    public let rawValue: Int64

    /// Creates a span of this many microseconds.
    public init(_ rawValue: Int64) { self.rawValue = rawValue }

    /// Creates a span of whole milliseconds.
    public static func milliseconds(_ count: Int) -> Microseconds {
        Microseconds(Int64(count) * 1_000)
    }

    /// Creates a span of whole seconds.
    public static func seconds(_ count: Int) -> Microseconds {
        Microseconds(Int64(count) * 1_000_000)
    }

    /// A span of zero.
    public static var zero: Microseconds { Microseconds(0) }

    /// Whether the left span is shorter than the right one.
    public static func < (left: Microseconds, right: Microseconds) -> Bool {
        left.rawValue < right.rawValue
    }

    /// Returns the sum of two spans.
    public static func + (left: Microseconds, right: Microseconds) -> Microseconds {
        Microseconds(left.rawValue + right.rawValue)
    }

    /// Returns the difference between two spans.
    public static func - (left: Microseconds, right: Microseconds) -> Microseconds {
        Microseconds(left.rawValue - right.rawValue)
    }

    /// Returns the span multiplied by `factor`.
    public static func * (span: Microseconds, factor: Int) -> Microseconds {
        Microseconds(span.rawValue * Int64(factor))
    }

    /// Returns the span divided by `divisor`, rounded toward zero.
    public static func / (span: Microseconds, divisor: Int) -> Microseconds {
        Microseconds(span.rawValue / Int64(divisor))
    }
}
