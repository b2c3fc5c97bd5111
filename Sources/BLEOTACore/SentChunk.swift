/// What the sender knows of one chunk between its cumulative acknowledgement and the highest sent.
public struct SentChunk: BitwiseCopyable {
    enum Status: UInt8, BitwiseCopyable {
        case unsent
        case inFlight
        /// Shown by a bitmap, though not yet by the cumulative acknowledgement.
        case arrived
        /// Sent, and known not to have arrived.
        case lost
    }

    var status = Status.unsent
    /// Whether it was sent more than once, so that its ACK gives no round-trip sample.
    var isRepeated = false
    /// The number of its latest transmission, which gives the order in which chunks went out.
    var transmission: UInt32 = 0
    /// How many chunks had been delivered when it went out.
    var deliveredWhenSent: UInt32 = 0
    /// When it went out last.
    var sentAt = Instant(microseconds: 0)

    /// A chunk that was not sent.
    public init() {}
}
