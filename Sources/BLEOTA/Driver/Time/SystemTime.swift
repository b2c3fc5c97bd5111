import Glibc

/// The system's time of day.
enum SystemTime {
    /// The Unix time in seconds; `nil` if the clock shows a time before 2020 and so has
    /// never been set.
    static var secondsSince1970: UInt64? {
        let seconds = time(nil)
        return seconds > 1_577_836_800 ? UInt64(seconds) : nil
    }
}
