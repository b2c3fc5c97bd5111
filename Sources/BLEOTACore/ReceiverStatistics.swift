/// What a receiver has counted since it was made.
public struct ReceiverStatistics: Hashable, Sendable, BitwiseCopyable {
    #if hasFeature(Embedded)
    /// Of a microcontroller: 2^32 frames are two months of a fast link, and then it begins anew.
    public typealias Count = UInt32
    #else
    /// 64 bits, which never run over.
    public typealias Count = UInt64
    #endif

    /// Data frames that were placed.
    public var dataFramesPlaced: Count = 0
    /// Data frames of chunks that had arrived before.
    public var dataFramesRepeated: Count = 0
    /// Data frames that were dropped: damaged, cut, of another epoch, or without a place.
    public var dataFramesDropped: Count = 0
    /// Control frames that were dropped.
    public var controlFramesDropped: Count = 0
    /// ACKs sent.
    public var acknowledgementsSent: Count = 0
    /// Blocks that did not have their hash.
    public var blocksRejected: Count = 0

    /// Nothing counted.
    public init() {}
}
