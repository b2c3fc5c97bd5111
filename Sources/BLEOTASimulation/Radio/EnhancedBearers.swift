/// The enhanced ATT bearers of a link, each on its own L2CAP channel with credit-based flow
/// control. The unenhanced bearer carries values too. Each bearer carries one request at a time;
/// commands use any bearer with room.
///
/// Values take turns on the bearers, and the bearers' frames take turns on the link. A value may
/// therefore arrive before an earlier one that takes two frames or waits for credits. Linux 6.1
/// and BlueZ 5.66 behave in the same way (`pick_next_send_op` of src/shared/att.c,
/// `hci_chan_sent` of net/bluetooth/hci_core.c). In a test with 200 commands over three bearers,
/// the second command arrived before the first.
public struct EnhancedBearers: Sendable, Hashable {
    /// The number of channels that one request can open (Bluetooth Core 5.4, volume 3, part A,
    /// 4.25).
    public static let countRange = 1...5
    /// The range of the MPS: the minimum that a device must support, and the largest 16-bit value
    /// less the size of the header (Bluetooth Core 5.4, volume 3, part A, 4.25).
    public static let segmentByteCountRange = 64...65_533

    /// The number of enhanced bearers, 1 to 5.
    public let count: Int
    /// The MPS: the largest number of bytes in one frame, 64 to 65,533.
    public let segmentByteCountMax: Int
    /// The number of frames that the peer accepts before it must grant new credits, 1 to 65,535.
    public let creditCount: Int

    /// Creates bearers with these parameters.
    ///
    /// The defaults are those of Linux: a frame fills a packet of 251 bytes, and the initial
    /// credits suffice for a value of 517 bytes and one more frame (`l2cap_le_flowctl_init` and
    /// `l2cap_le_rx_credits` of net/bluetooth/l2cap_core.c).
    ///
    /// - Returns: `nil` if a number is out of range.
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
