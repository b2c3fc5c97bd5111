/// The counters of a sender since its creation.
public struct SenderStatistics: Hashable, Sendable, BitwiseCopyable {
    /// The number of data frames sent for both objects, including retransmissions.
    public var dataFramesSent: UInt64 = 0
    /// The number of data frames whose chunk had been sent before in the same epoch.
    public var dataFramesResent: UInt64 = 0
    /// The number of chunks that are known to have arrived, counted once per epoch.
    public var chunksAcknowledged: UInt64 = 0
    /// The number of ACKs that were processed.
    public var acknowledgementsHeard: UInt64 = 0
    /// The number of probe timeouts.
    public var probeTimeouts: UInt64 = 0
    /// The number of times the sender opened another session.
    public var reopenings: UInt64 = 0

    /// Creates counters that are all zero.
    public init() {}
}
