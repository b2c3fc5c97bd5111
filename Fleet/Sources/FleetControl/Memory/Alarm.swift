/// A device at which something may be due, and when, in milliseconds. It is looked at then, and may
/// turn out to be late or for nothing.
struct Alarm: Sendable, Comparable {
    let milliseconds: UInt64
    let device: DeviceNumber

    static func < (left: Alarm, right: Alarm) -> Bool { left.milliseconds < right.milliseconds }
}
