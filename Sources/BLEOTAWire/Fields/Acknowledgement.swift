/// The receiver's whole account of one object in one epoch (spec/bleota.md, section 5.1).
public struct Acknowledgement: Hashable, Sendable, BitwiseCopyable {
    /// Whether a poll asked for it.
    public var answersPoll: Bool
    /// Manifest or image.
    public var object: ObjectID
    /// The date of this account.
    public var epoch: Epoch
    /// The index of the first missing chunk, modulo 65,536.
    public var truncatedCumulative: UInt16
    /// How many chunks from the cumulative acknowledgement on can be placed.
    public var credit: Credit
    /// The length of the longest durable beginning of the object.
    public var durableByteCount: UInt32
    /// From the arrival of the newest frame to this ACK, in milliseconds; 255 for 255 and more.
    public var delayMilliseconds: UInt8
    /// Which chunks after the first missing one have arrived.
    public var bitmap: ReceivedBitmap

    /// Makes the frame.
    ///
    /// - Parameter object: manifest or image.
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

    /// The frame's length with a whole bitmap.
    public var byteCount: Int { ControlLayout.Acknowledgement.byteCountMin + bitmap.byteCount }

    /// How many chunks past the first missing one an ACK can show on a link.
    ///
    /// - Parameter byteCountMax: at least 18.
    public static func chunkCountShown(inFrameOf byteCountMax: Int) -> Int {
        precondition(byteCountMax >= ControlLayout.Acknowledgement.byteCountMin)
        let byteCount = byteCountMax &- ControlLayout.Acknowledgement.byteCountMin
        return 8 &* min(byteCount, ReceivedBitmap.bitCount / 8)
    }

    //= ACK-7: A sender MUST take as the cumulative acknowledgement the smallest number that is
    //= congruent to the 16 bits and not below ⌊durable byte count ÷ chunk size⌋.
    /// The whole cumulative acknowledgement: at most ⌊(2³² − 1) ÷ 12⌋ + 65,535.
    public func cumulative(chunkSize: ChunkSize) -> UInt32 {
        let lowest = durableByteCount / UInt32(chunkSize.byteCount)
        return lowest + UInt32(truncatedCumulative &- UInt16(truncatingIfNeeded: lowest))
    }
}
