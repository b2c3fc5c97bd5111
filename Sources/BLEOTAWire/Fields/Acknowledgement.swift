/// An acknowledgement (ACK): the receiver's complete state for one object in one epoch
/// (spec/bleota.md, section 5.1).
public struct Acknowledgement: Hashable, Sendable, BitwiseCopyable {
    /// Whether this acknowledgement answers a poll.
    public var answersPoll: Bool
    /// The object: manifest or image.
    public var object: ObjectID
    /// The epoch of this acknowledgement.
    public var epoch: Epoch
    /// The index of the first missing chunk, modulo 65,536.
    public var truncatedCumulative: UInt16
    /// The number of chunks, counted from the cumulative acknowledgement, that the receiver can
    /// place.
    public var credit: Credit
    /// The length in bytes of the longest durable prefix of the object.
    public var durableByteCount: UInt32
    /// The milliseconds from the arrival of the newest data frame to the sending of this ACK.
    /// The value 255 stands for 255 ms or more.
    public var delayMilliseconds: UInt8
    /// The chunks after the first missing one that have arrived.
    public var bitmap: ReceivedBitmap

    /// Creates an acknowledgement.
    ///
    /// - Parameters:
    ///   - answersPoll: whether the acknowledgement answers a poll.
    ///   - object: the manifest or the image.
    ///   - epoch: the epoch of the acknowledgement.
    ///   - truncatedCumulative: the index of the first missing chunk, modulo 65,536.
    ///   - credit: the number of chunks that the receiver can place.
    ///   - durableByteCount: the length in bytes of the longest durable prefix of the object.
    ///   - delayMilliseconds: the time since the arrival of the newest data frame.
    ///   - bitmap: the chunks after the first missing one that have arrived.
    public init(
        answersPoll: Bool,
        object: ObjectID,
        epoch: Epoch,
        truncatedCumulative: UInt16,
        credit: Credit,
        durableByteCount: UInt32,
        delayMilliseconds: UInt8 = 0,
        bitmap: ReceivedBitmap = ReceivedBitmap()
    ) {
        precondition(object.isTransferred)
        self.answersPoll = answersPoll
        self.object = object
        self.epoch = epoch
        self.truncatedCumulative = truncatedCumulative
        self.credit = credit
        self.durableByteCount = durableByteCount
        self.delayMilliseconds = delayMilliseconds
        self.bitmap = bitmap
    }

    /// The length of the encoded frame with its complete bitmap, in bytes.
    public var byteCount: Int { ControlLayout.Acknowledgement.byteCountMin + bitmap.byteCount }

    /// The number of chunks past the first missing one that an ACK can show on a link.
    ///
    /// - Parameter byteCountMax: the maximum length of a frame on the link in bytes, at least 18.
    public static func chunkCountShown(inFrameOf byteCountMax: Int) -> Int {
        precondition(byteCountMax >= ControlLayout.Acknowledgement.byteCountMin)
        let byteCount = byteCountMax &- ControlLayout.Acknowledgement.byteCountMin
        return 8 &* min(byteCount, ReceivedBitmap.bitCount / 8)
    }

    //= ACK-7: A sender MUST take as the cumulative acknowledgement the smallest number that is
    //= congruent to the field modulo 65,536 and not below ⌊durable byte count ÷ chunk size⌋.
    /// The untruncated cumulative acknowledgement, at most ⌊(2³² − 1) ÷ 12⌋ + 65,535.
    public func cumulative(chunkSize: ChunkSize) -> UInt32 {
        let lowest = durableByteCount / UInt32(chunkSize.byteCount)
        return lowest + UInt32(truncatedCumulative &- UInt16(truncatingIfNeeded: lowest))
    }
}
