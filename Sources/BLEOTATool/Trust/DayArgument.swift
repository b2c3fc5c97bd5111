import ArgumentParser
import Glibc

/// A day of the Gregorian calendar in UTC, such as `2027-03-31`.
struct DayArgument: Sendable {
    /// The last second of the day, in Unix time.
    let lastSecond: UInt64

    init(_ argument: String) throws {
        let parts = argument.split(separator: "-", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { Int32($0) }
        guard parts.map(\.count) == [4, 2, 2], numbers.count == 3, numbers[0] >= 1970 else {
            throw Self.error(argument)
        }
        var moment = tm()
        moment.tm_year = numbers[0] - 1_900
        moment.tm_mon = numbers[1] - 1
        moment.tm_mday = numbers[2]
        moment.tm_hour = 23
        moment.tm_min = 59
        moment.tm_sec = 59
        let second = timegm(&moment)
        // `timegm` turns a day that does not exist into another day.
        guard moment.tm_mon == numbers[1] - 1, moment.tm_mday == numbers[2], second > 0 else {
            throw Self.error(argument)
        }
        lastSecond = UInt64(second)
    }

    var isPast: Bool { lastSecond < UInt64(time(nil)) }

    private static func error(_ argument: String) -> ValidationError {
        ValidationError("a date must be YYYY-MM-DD, such as 2027-03-31, not \(argument)")
    }

    /// A moment in UTC as text.
    static func text(of second: UInt64) -> String {
        guard var time = time_t(exactly: second), time < 253_402_300_800 else {
            return "second \(second)"
        }
        var moment = tm()
        gmtime_r(&time, &moment)
        let numbers = [moment.tm_mon + 1, moment.tm_mday, moment.tm_hour, moment.tm_min].map {
            $0 < 10 ? "0\($0)" : "\($0)"
        }
        let day = "\(moment.tm_year + 1_900)-\(numbers[0])-\(numbers[1])"
        return "\(day) \(numbers[2]):\(numbers[3]) UTC"
    }
}
