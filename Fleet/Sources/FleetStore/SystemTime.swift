package import FleetModel
import Glibc

extension Moment {
    /// A moment as servers state it.
    init(nanoseconds: Int64) {
        let milliseconds = UInt64(max(0, nanoseconds)) / 1_000_000
        self = Moment(milliseconds: milliseconds) ?? Moment(milliseconds: 0)!
    }
}

/// The two clocks of a process.
package enum SystemTime {
    private static let beginning = ContinuousClock.now

    /// By the clock that nobody sets, from which everything is decided.
    package static var uptime: Uptime {
        let parts = beginning.duration(to: .now).components
        return Uptime(
            milliseconds: UInt64(parts.seconds) * 1_000
                + UInt64(parts.attoseconds / 1_000_000_000_000_000)
        )
    }

    /// By the clock of the wall, for people.
    package static var moment: Moment {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        let milliseconds = UInt64(max(now.tv_sec, 0)) * 1_000 + UInt64(now.tv_nsec / 1_000_000)
        return Moment(milliseconds: milliseconds) ?? Moment(milliseconds: 0)!
    }
}
