package import FleetModel

extension Moment {
    /// The moment in UTC, such as 2026-11-27 09:30:05.
    package var text: String { "\(date) \(clock)" }

    /// The moment as RFC 3339 has it.
    package var timestamp: String { "\(date)T\(clock)Z" }

    private var clock: String {
        let second = Int(milliseconds / 1_000 % 86_400)
        return [second / 3_600, second / 60 % 60, second % 60].map(Self.twoDigits)
            .joined(separator: ":")
    }

    /// The day, by the calendar that repeats every 400 years, or 146,097 days. A year of it begins
    /// in March, so that the day that leap years add is its last.
    private var date: String {
        let day = Int(milliseconds / 86_400_000) + 719_468
        let era = day / 146_097
        let dayOfEra = day % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        let dayOfMonth = dayOfYear - (153 * month + 2) / 5 + 1
        let monthOfYear = month < 10 ? month + 3 : month - 9
        let year = yearOfEra + era * 400 + (monthOfYear <= 2 ? 1 : 0)
        return "\(year)-\(Self.twoDigits(monthOfYear))-\(Self.twoDigits(dayOfMonth))"
    }

    private static func twoDigits(_ number: Int) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }
}

extension DayWindow {
    /// A minute of the day, such as 09:30.
    package static func clock(_ minute: UInt16) -> String {
        [minute / 60, minute % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    }
}
