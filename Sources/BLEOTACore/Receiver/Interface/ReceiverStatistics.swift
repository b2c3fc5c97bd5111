/// What a receiver has counted since it was made. On a microcontroller, where nobody reads it and
/// to count takes code, it is nothing.
public struct ReceiverStatistics: Hashable, Sendable, BitwiseCopyable {
    /// What is counted.
    enum Event: UInt8 {
        case dataFramePlaced
        case dataFrameRepeated
        case dataFrameDropped
        case controlFrameDropped
        case acknowledgementSent
        case blockRejected
    }

    #if hasFeature(Embedded)
    mutating func count(_: Event) {}
    #else
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

    mutating func count(_ event: Event) {
        switch event {
        case .dataFramePlaced: dataFramesPlaced += 1
        case .dataFrameRepeated: dataFramesRepeated += 1
        case .dataFrameDropped: dataFramesDropped += 1
        case .controlFrameDropped: controlFramesDropped += 1
        case .acknowledgementSent: acknowledgementsSent += 1
        case .blockRejected: blocksRejected += 1
        }
    }
    #endif

    /// Nothing counted.
    public init() {}
}
