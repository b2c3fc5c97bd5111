import Glibc

/// The time of day, as the system has it.
enum SystemTime {
    /// Since the beginning of 1970, UTC; `nil` where the clock was never set: before 2020.
    static var secondsSince1970: UInt64? {
        let seconds = time(nil)
        return seconds > 1_577_836_800 ? UInt64(seconds) : nil
    }
}
