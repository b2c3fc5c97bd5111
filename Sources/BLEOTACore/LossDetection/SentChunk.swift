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

    /// Whether an ACK of it may be that of an earlier transmission.
    enum Ambiguity: UInt8, BitwiseCopyable {
        /// No: it was sent once, or each time after it was overtaken.
        case none
        /// Its ACK is late, and it is sent again.
        case isLate
        /// It was sent again, as a probe, though only its ACK was late.
        case isProbed
    }

    var status = Status.unsent
    /// Whether it was sent more than once, so that its ACK gives no round-trip sample.
    var isRepeated = false
    /// Whether it asked for an ACK, other than as a probe.
    var isPoll = false
    var ambiguity = Ambiguity.none
    /// Whether it was overtaken, though the last ACK had no room to show it as missing. The
    /// link does not hold it any more.
    var hasLeftLink = false
    /// The number of its latest transmission, of its first probe if there are several. Numbers give
    /// the order in which chunks went out.
    var transmission: UInt32 = 0
    /// The number of its latest transmission that was no probe.
    var transmissionBeforeProbes: UInt32 = 0
    /// How many chunks had been delivered when it went out.
    var deliveredWhenSent: UInt32 = 0
    /// When it went out last.
    var sentAt = Instant(microseconds: 0)

    /// A chunk that was not sent.
    public init() {}
}
