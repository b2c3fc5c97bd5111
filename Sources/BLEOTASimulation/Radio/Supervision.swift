public import BLEOTACore

/// The time after which an end considers a link lost, and the time until the next link.
public struct Supervision: Sendable, Hashable {
    /// The range of the timeout (Bluetooth Core 5.4, volume 6, part B, 4.5.2).
    public static let timeoutRange = Microseconds.milliseconds(100)...Microseconds.seconds(32)

    /// The time without an intact packet after which an end considers the link lost.
    public let timeout: Microseconds
    /// The time from the moment when both ends have detected the loss to the first connection
    /// event of the next link; during this time, the device advertises and is found. During a
    /// fade, this time is extended until the fade ends.
    public let reconnection: Microseconds

    /// Creates supervision settings.
    ///
    /// The default timeout is that of Linux (`le_supv_timeout` of net/bluetooth/hci_core.c,
    /// 0x2A).
    ///
    /// - Returns: `nil` if the timeout is out of range or the reconnection time is negative.
    public init?(
        timeout: Microseconds = .milliseconds(420),
        reconnection: Microseconds = .milliseconds(500)
    ) {
        guard Self.timeoutRange.contains(timeout), reconnection >= .zero else { return nil }
        self.timeout = timeout
        self.reconnection = reconnection
    }
}
