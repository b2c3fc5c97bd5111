/// Finds out whether a receiver cuts its bitmaps at a length of its own, shorter than what the link
/// carries: then one ACK after the other is as long as the longest.
struct AcknowledgementLengths: BitwiseCopyable {
    /// An ACK of 18 bytes has a cut bitmap of three bytes, over the shortest link.
    private static let cutByteCountMin = 18
    /// A bitmap that is not cut grows by a byte with eight chunks, each of which may have an ACK.
    private static let countMin = 16

    private var longest = cutByteCountMin
    private var count = 0

    //= ACK-14: A sender SHOULD take a bitmap to fill its frame, and so to be cut, also where this
    //= and the 15 ACKs before it have the same length, of 18 bytes or more, and none was longer.
    /// Whether the last ACK was one of many that are equally long, and none was ever longer.
    var isCutShort: Bool { count >= Self.countMin }

    mutating func note(_ byteCount: Int) {
        count = byteCount == longest ? count + 1 : byteCount > longest ? 1 : 0
        longest = max(longest, byteCount)
    }
}
