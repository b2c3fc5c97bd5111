/// What a receiver has counted since it was made.
public struct ReceiverStatistics: Hashable, Sendable, BitwiseCopyable {
    /// Data frames that were placed.
    public var dataFramesPlaced: UInt64 = 0
    /// Data frames of chunks that had arrived before.
    public var dataFramesRepeated: UInt64 = 0
    /// Data frames that were dropped: damaged, cut, of another epoch, or without a place.
    public var dataFramesDropped: UInt64 = 0
    /// Control frames that were dropped.
    public var controlFramesDropped: UInt64 = 0
    /// ACKs sent.
    public var acknowledgementsSent: UInt64 = 0
    /// Blocks that did not have their hash.
    public var blocksRejected: UInt64 = 0

    /// Nothing counted.
    public init() {}
}
