/// The knobs of a receiver.
public struct ReceiverOptions: Sendable, BitwiseCopyable {
    /// The longest control frame the link carries back, at least 18; longer bitmaps are cut.
    public var controlByteCountMax = ReceiverControl.byteCountMax
    /// How long to wait for anything valid before the session ends, at most 71 minutes.
    /// Default 30 s.
    public var silenceLimit: Microseconds = .seconds(30)
    /// How long RESULT is kept for a sender that has not seen it, at most 71 minutes. Default
    /// 10 s.
    public var resultLimit: Microseconds = .seconds(10)
    /// Whether to leave the pace to the sender: unlimited credit, and ACKs only when polled. For
    /// devices that take a fixed burst at a fixed pace. Default: false.
    public var leavesPaceToSender = false
    /// How many chunks may be on their way at most, whatever there is memory for: what the link
    /// holds for a receiver that is late. 1 to 16,383, the default.
    public var creditCountMax = Credit.chunkCountMax
    /// The epoch of the first ACK, best unpredictable.
    public var firstEpoch = Epoch(0)

    /// The defaults.
    public init() {}
}
