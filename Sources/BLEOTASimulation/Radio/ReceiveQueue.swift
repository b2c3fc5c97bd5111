public import BLEOTACore

/// The queue of values that have arrived at the peripheral's host, but have not been read by its
/// application.
///
/// A command that arrives when the queue is full is dropped silently. BlueZ does so if an
/// application's socket is full (`sock_write` of src/gatt-database.c: for an application that did
/// not read, 167 of 1,500 values were kept), and Zephyr does so if it has no buffer (its issue
/// 71952). A request occupies no place in the queue: the response is sent when the application
/// reads the request, and each bearer has at most one (Bluetooth Core 5.4, volume 3, part F,
/// 3.3.2).
public struct ReceiveQueue: Sendable, Hashable {
    /// The largest number of queued commands, 1 or more.
    public let valueCountMax: Int
    /// The time that the application needs for each value, 0 or more.
    public let timePerValue: Microseconds

    /// Creates a queue.
    ///
    /// - Returns: `nil` if a number is out of range.
    public init?(valueCountMax: Int, timePerValue: Microseconds) {
        guard valueCountMax >= 1, timePerValue >= .zero else { return nil }
        self.valueCountMax = valueCountMax
        self.timePerValue = timePerValue
    }
}
