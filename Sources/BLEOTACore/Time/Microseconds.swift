/// A span of time in whole microseconds. Swift's `Duration` has 128 bits, whose arithmetic a
/// microcontroller would have to emulate.
public struct Microseconds: Hashable, Comparable, Sendable, BitwiseCopyable {
    /// The number of microseconds, which may be negative.
    public let rawValue: Int64

    /// A span of this many microseconds.
    public init(_ rawValue: Int64) { self.rawValue = rawValue }

    /// A span of whole milliseconds.
    public static func milliseconds(_ count: Int) -> Microseconds {
        Microseconds(Int64(count) * 1_000)
    }

    /// A span of whole seconds.
    public static func seconds(_ count: Int) -> Microseconds {
        Microseconds(Int64(count) * 1_000_000)
    }

    /// No time.
    public static var zero: Microseconds { Microseconds(0) }

    /// The shorter span first.
    public static func < (left: Microseconds, right: Microseconds) -> Bool {
        left.rawValue < right.rawValue
    }

    /// Both, one after the other.
    public static func + (left: Microseconds, right: Microseconds) -> Microseconds {
        Microseconds(left.rawValue + right.rawValue)
    }

    /// What is left of the first.
    public static func - (left: Microseconds, right: Microseconds) -> Microseconds {
        Microseconds(left.rawValue - right.rawValue)
    }

    /// The span `factor` times.
    public static func * (span: Microseconds, factor: Int) -> Microseconds {
        Microseconds(span.rawValue * Int64(factor))
    }

    /// A part of the span, rounded towards zero.
    public static func / (span: Microseconds, divisor: Int) -> Microseconds {
        Microseconds(span.rawValue / Int64(divisor))
    }
}
