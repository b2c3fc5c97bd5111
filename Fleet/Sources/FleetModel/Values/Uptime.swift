/// A moment by a clock that nobody sets: the milliseconds since some moment of one process.
///
/// It is compared only with others of the same process, and never stored.
package struct Uptime: Sendable, Hashable, Comparable {
    package let milliseconds: UInt64

    package init(milliseconds: UInt64) { self.milliseconds = milliseconds }

    package static func + (moment: Uptime, span: Span) -> Uptime {
        Uptime(milliseconds: moment.milliseconds + span.milliseconds)
    }

    package static func < (left: Uptime, right: Uptime) -> Bool {
        left.milliseconds < right.milliseconds
    }
}
