public import BLEOTACore

/// When an end takes a link for lost, and how long it takes to have another.
public struct Supervision: Sendable, Hashable {
    /// 100 ms to 32 s (Bluetooth Core 5.4, volume 6, part B, 4.5.2).
    public static let timeoutRange = Microseconds.milliseconds(100)...Microseconds.seconds(32)

    /// An end that gets no intact packet for so long has lost the link.
    public let timeout: Microseconds
    /// From the moment when both ends know it to the first connection event of the next link: the
    /// device advertises, and is found. In a fade it takes until the fade is over.
    public let reconnection: Microseconds

    /// Such a supervision.
    ///
    /// The default timeout is that of Linux (`le_supv_timeout` of net/bluetooth/hci_core.c, 0x2A).
    ///
    /// - Returns: `nil` if the timeout is out of its range, or the reconnection below 0.
    public init?(
        timeout: Microseconds = .milliseconds(420),
        reconnection: Microseconds = .milliseconds(500)
    ) {
        guard Self.timeoutRange.contains(timeout), reconnection >= .zero else { return nil }
        self.timeout = timeout
        self.reconnection = reconnection
    }
}
