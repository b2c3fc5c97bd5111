/// Bearers of EATT, each over a channel of L2CAP of its own with credits, besides the unenhanced
/// bearer, which takes values as well: one request at a time on each of them, and commands on
/// whichever has room.
///
/// Values take turns on the bearers and so does the link with their frames, so that a value may
/// arrive before one that was sent earlier: one that takes two frames, or waits for credits. Linux
/// 6.1 and BlueZ 5.66 do the same (`pick_next_send_op` of src/shared/att.c, `hci_chan_sent` of
/// net/bluetooth/hci_core.c); of 200 commands over three bearers the second already arrived first.
public struct EnhancedBearers: Sendable, Hashable {
    /// One request opens up to five channels (Bluetooth Core 5.4, volume 3, part A, 4.25).
    public static let countRange = 1...5
    /// What a device takes in a frame at least, and the most that 16 bits can say less the header
    /// (the same place).
    public static let segmentByteCountRange = 64...65_533

    /// How many, 1 to 5.
    public let count: Int
    /// The MPS: how many bytes go in one frame, 64 to 65,533.
    public let segmentByteCountMax: Int
    /// How many frames the other end takes before it has to give credit again, 1 to 65,535.
    public let creditCount: Int

    /// Bearers of such channels.
    ///
    /// The defaults are those of Linux: as many bytes in a frame as fill a packet of 251 bytes, and
    /// credit for a value of 517 bytes and a frame more (`l2cap_le_flowctl_init` and
    /// `l2cap_le_rx_credits` of net/bluetooth/l2cap_core.c).
    ///
    /// - Returns: `nil` if a number is out of its range.
    public init?(count: Int, segmentByteCountMax: Int = 247, creditCount: Int = 3) {
        guard Self.countRange.contains(count),
            Self.segmentByteCountRange.contains(segmentByteCountMax),
            (1...65_535).contains(creditCount)
        else { return nil }
        self.count = count
        self.segmentByteCountMax = segmentByteCountMax
        self.creditCount = creditCount
    }
}
