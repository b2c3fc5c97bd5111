/// What a sender has counted since it was made.
public struct SenderStatistics: Hashable, Sendable, BitwiseCopyable {
    /// Data frames of either object, repeated ones included.
    public var dataFramesSent: UInt64 = 0
    /// Data frames that had been sent before in the same epoch.
    public var dataFramesResent: UInt64 = 0
    /// Chunks that are known to have arrived, each once in an epoch.
    public var chunksAcknowledged: UInt64 = 0
    /// ACKs that were taken in.
    public var acknowledgementsHeard: UInt64 = 0
    /// Probe timeouts.
    public var probeTimeouts: UInt64 = 0
    /// How many times the session was opened anew.
    public var reopenings: UInt64 = 0

    /// Nothing counted.
    public init() {}
}
