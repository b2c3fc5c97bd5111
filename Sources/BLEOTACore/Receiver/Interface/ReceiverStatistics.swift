/// The counters of a receiver since its creation. In Embedded Swift the structure is empty,
/// because nothing reads the counters and counting takes code.
public struct ReceiverStatistics: Hashable, Sendable, BitwiseCopyable {
    /// The events that are counted.
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
    /// The number of data frames that were placed.
    public var dataFramesPlaced: UInt64 = 0
    /// The number of data frames whose chunk had arrived before.
    public var dataFramesRepeated: UInt64 = 0
    /// The number of data frames that were dropped because they were damaged or truncated,
    /// belonged to another epoch or had no place.
    public var dataFramesDropped: UInt64 = 0
    /// The number of control frames that were dropped.
    public var controlFramesDropped: UInt64 = 0
    /// The number of ACKs that were sent.
    public var acknowledgementsSent: UInt64 = 0
    /// The number of blocks that did not match their hash.
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

    /// Creates counters that are all zero.
    public init() {}
}
