public import BLEOTACore

/// The connection intervals that there are, from one connection event to the next (Bluetooth Core
/// 6.2, volume 6, part B, 4.5.1).
///
/// Two controllers with the feature Shorter Connection Intervals, of Core 6.2, support all of the
/// rounded ones, and of the extended ones as many as they like; all others have the baseline ones,
/// and each link begins with one of those. How short an interval may be for packets of a length is
/// another matter: ``RadioSettings/isPossible``.
public enum ConnectionIntervals {
    /// The extended intervals.
    public static let range = Microseconds(375)...Microseconds.seconds(4)
    /// What each of them is a multiple of.
    public static let step = Microseconds(125)
    /// Of the baseline ones, which is all there were before 6.2.
    public static let baselineRange = Microseconds(7_500)...Microseconds.seconds(4)
    /// What each of those, and of the rounded ones, is a multiple of.
    public static let baselineStep = Microseconds(1_250)

    /// Whether there is such an interval.
    public static func contains(_ interval: Microseconds) -> Bool {
        range.contains(interval) && interval.rawValue % step.rawValue == 0
    }
}
