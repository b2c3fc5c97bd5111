public import BLEOTACore

/// The valid connection intervals, measured from one connection event to the next (Bluetooth Core
/// 6.2, volume 6, part B, 4.5.1).
///
/// Two controllers with the feature Shorter Connection Intervals of Core 6.2 support all rounded
/// intervals, and any selection of the extended ones. All other controllers support only the
/// baseline intervals, and every link begins with one of those. Whether packets of a given length
/// fit in an interval is a separate question; see ``RadioSettings/isPossible``.
public enum ConnectionIntervals {
    /// The range of the extended intervals.
    public static let range = Microseconds(375)...Microseconds.seconds(4)
    /// The step of the extended intervals.
    public static let step = Microseconds(125)
    /// The range of the baseline intervals, the only ones before Core 6.2.
    public static let baselineRange = Microseconds(7_500)...Microseconds.seconds(4)
    /// The step of the baseline and the rounded intervals.
    public static let baselineStep = Microseconds(1_250)

    /// Whether an interval is valid.
    public static func contains(_ interval: Microseconds) -> Bool {
        range.contains(interval) && interval.rawValue % step.rawValue == 0
    }
}
