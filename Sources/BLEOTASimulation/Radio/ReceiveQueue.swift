public import BLEOTACore

/// Values that have come to the peripheral's host, and that its application has not taken yet.
///
/// A command that finds it full is dropped, and nobody is told. BlueZ does so where the socket of
/// an application is full (`sock_write` of src/gatt-database.c: 167 of 1,500 values were kept for
/// one that did not read), and Zephyr where it has no buffer (its issue 71952). A request takes no
/// place: it is answered when the application takes it, and each bearer has one at most (Bluetooth
/// Core 5.4, volume 3, part F, 3.3.2).
public struct ReceiveQueue: Sendable, Hashable {
    /// How many commands wait at most, 1 or more.
    public let valueCountMax: Int
    /// How long the application is busy with each value, 0 or more.
    public let timePerValue: Microseconds

    /// Such a queue.
    ///
    /// - Returns: `nil` if a number is out of its range.
    public init?(valueCountMax: Int, timePerValue: Microseconds) {
        guard valueCountMax >= 1, timePerValue >= .zero else { return nil }
        self.valueCountMax = valueCountMax
        self.timePerValue = timePerValue
    }
}
