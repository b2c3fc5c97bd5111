/// The time of the day, in UTC, at which devices may be given jobs. A job that has begun goes on.
package struct DayWindow: Sendable, Hashable {
    private static let minutesOfDay: UInt16 = 1_440

    /// The minute at which it opens, from 0 to 1,439.
    package let opening: UInt16
    /// The minutes for which it is open, from 1 to 1,440. It may go on into the next day.
    package let minutes: UInt16

    /// Makes a window; `nil` if a number is out of range.
    package init?(opening: UInt16, minutes: UInt16) {
        guard opening < Self.minutesOfDay, (1...Self.minutesOfDay).contains(minutes) else {
            return nil
        }
        self.opening = opening
        self.minutes = minutes
    }

    package func contains(_ moment: Moment) -> Bool {
        let day = UInt64(Self.minutesOfDay)
        let minute = moment.milliseconds / 60_000 % day
        return (minute + day - UInt64(opening)) % day < UInt64(minutes)
    }
}
