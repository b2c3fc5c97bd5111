/// Detects a receiver that truncates its bitmaps because its own limit on the length of an ACK is
/// lower than the link's. The ACKs of such a receiver reach this limit again and again but never
/// exceed it.
struct AcknowledgementLengths: BitwiseCopyable {
    /// The length of the shortest ACK with a truncated bitmap: the lowest limit on an ACK is 18
    /// bytes, three of which belong to the bitmap.
    private static let cutByteCountMin = 18
    /// The number of consecutive ACKs of the same length that indicates truncation. A bitmap that
    /// is not truncated grows by one byte per eight chunks, each of which may cause an ACK.
    private static let countMin = 16

    private var longest = cutByteCountMin
    private var count = 0

    //= ACK-14: A sender SHOULD treat a bitmap as truncated if the last 16 ACKs, including the one
    //= with this bitmap, have the same length, which is 18 bytes or more, and no ACK of any session
    //= over this link has been longer.
    /// Whether many consecutive ACKs up to the last one had the same length, and none was ever
    /// longer.
    var isCutShort: Bool { count >= Self.countMin }

    mutating func note(_ byteCount: Int) {
        count = byteCount == longest ? count + 1 : byteCount > longest ? 1 : 0
        longest = max(longest, byteCount)
    }
}
