/// The settings of a receiver.
public struct ReceiverOptions: Sendable, BitwiseCopyable {
    /// The maximum length of a control frame to the sender in bytes, at least 18. Bitmaps that do
    /// not fit are truncated.
    public var controlByteCountMax = ReceiverControl.byteCountMax
    /// How long the receiver waits for any valid frame before the session ends, at most 71
    /// minutes. Default: 30 s.
    public var silenceLimit: Microseconds = .seconds(30)
    /// How long RESULT is kept for a sender that has not received it, at most 71 minutes.
    /// Default: 10 s.
    public var resultLimit: Microseconds = .seconds(10)
    /// Whether to leave pacing to the sender: the credit is unlimited, and ACKs are sent only
    /// when an epoch begins and in answer to polls. This suits devices that accept bursts of a
    /// fixed size at a fixed rate. Default: false.
    public var leavesPaceToSender = false
    /// The largest credit to grant, 1 to 16,383 chunks, even if there is memory for more. It should
    /// not exceed the number that the link can buffer while the receiver is delayed. Default:
    /// 16,383.
    public var creditCountMax = Credit.chunkCountMax
    /// The epoch of the first ACK, preferably unpredictable.
    public var firstEpoch = Epoch(0)

    /// Creates the default options.
    public init() {}
}
