/// The sender's record of one chunk between the cumulative acknowledgement and the highest
/// chunk sent.
public struct SentChunk: BitwiseCopyable {
    enum Status: UInt8, BitwiseCopyable {
        case unsent
        case inFlight
        /// A bitmap shows the chunk as arrived, but the cumulative acknowledgement does not
        /// cover it yet.
        case arrived
        /// The chunk was sent and is considered lost.
        case lost
    }

    /// Whether an ACK of the chunk may be for an earlier transmission.
    enum Ambiguity: UInt8, BitwiseCopyable {
        /// No: the chunk was sent once, or was overtaken before each retransmission.
        case none
        /// The ACK is late, and the chunk is about to be sent again.
        case isLate
        /// The chunk was sent again as a probe because its ACK was late.
        case isProbed
    }

    var status = Status.unsent
    /// Whether the chunk was sent more than once, in which case its ACK gives no round-trip
    /// sample.
    var isRepeated = false
    /// Whether the chunk requested an ACK in a transmission that was not a probe.
    var isPoll = false
    var ambiguity = Ambiguity.none
    /// Whether the chunk was sent before a long silence and has been overtaken, but is past the end
    /// of the last ACK's bitmap. The link no longer holds the chunk.
    var hasLeftLink = false
    /// The number of the chunk's latest transmission, or of its first probe if it was probed.
    /// Transmissions are numbered in the order of sending.
    var transmission: UInt32 = 0
    /// The number of the latest transmission that was not a probe.
    var transmissionBeforeProbes: UInt32 = 0
    /// The number of chunks that had been delivered when this one was sent.
    var deliveredWhenSent: UInt32 = 0
    /// The time of the latest transmission.
    var sentAt = Instant(microseconds: 0)

    /// Creates a record of a chunk that has not been sent.
    public init() {}
}
