/// A point in time, which all machines of a fleet understand: milliseconds since 1970, in UTC.
package struct Moment: Sendable, Hashable, Comparable {
    /// The number of milliseconds; up to the year 287,396.
    package let milliseconds: UInt64

    /// The last moment that there is, so that sums stay within 64 bits.
    private static let millisecondsMax: UInt64 = 1 << 53

    /// Makes a moment; `nil` if it is too late.
    package init?(milliseconds: UInt64) {
        guard milliseconds <= Self.millisecondsMax else { return nil }
        self.milliseconds = milliseconds
    }

    private init(clamping milliseconds: UInt64) {
        self.milliseconds = min(milliseconds, Self.millisecondsMax)
    }

    package static func + (moment: Moment, span: Span) -> Moment {
        Moment(clamping: moment.milliseconds + span.milliseconds)
    }

    package static func < (left: Moment, right: Moment) -> Bool {
        left.milliseconds < right.milliseconds
    }
}

/// A span of time, up to 49 days.
package struct Span: Sendable, Hashable, Comparable {
    package static let none = Span(milliseconds: 0)

    package let milliseconds: UInt64

    package init(milliseconds: UInt32) { self.milliseconds = UInt64(milliseconds) }

    package static func seconds(_ count: UInt16) -> Span {
        Span(milliseconds: UInt32(count) * 1_000)
    }

    /// Twice the span, but no more than `limit`.
    func doubled(max limit: Span) -> Span {
        Span(milliseconds: UInt32(min(milliseconds * 2, limit.milliseconds)))
    }

    /// A part of the span, but not nothing.
    package func divided(by divisor: UInt32) -> Span {
        Span(milliseconds: max(1, UInt32(milliseconds) / divisor))
    }

    package static func < (left: Span, right: Span) -> Bool {
        left.milliseconds < right.milliseconds
    }
}
