/// How many chunks a sender keeps in flight (spec/bleota.md, section 6.2).
///
/// Whatever the policy, the receiver's credit comes first.
public enum WindowPolicy: Hashable, Sendable, BitwiseCopyable {
    /// Grows while the rate of delivery grows. The default, for every link.
    case automatic
    /// At most this many chunks in flight, 1 to 512. A window of 1 is stop and wait.
    case fixed(chunkCount: Int)
    /// This many chunks, 1 to 512, then nothing until the pause is over. Towards devices that
    /// have a buffer of known size and nothing else.
    case burst(chunkCount: Int, pause: BurstPause)

    /// The largest window: as many chunks as the bitmap of an ACK can report.
    public static var chunkCountMax: Int { ReceivedBitmap.bitCount }

    /// The rule of the field: 12 packets, then 100 ms of silence.
    public static var fieldRule: WindowPolicy {
        .burst(chunkCount: 12, pause: .time(.milliseconds(100)))
    }

    /// Whether the numbers are in range.
    var isValid: Bool {
        switch self {
        case .automatic: true
        case .fixed(let chunkCount): (1...Self.chunkCountMax).contains(chunkCount)
        case .burst(let chunkCount, let pause):
            (1...Self.chunkCountMax).contains(chunkCount) && pause.isValid
        }
    }
}

/// What ends the pause after a burst.
public enum BurstPause: Hashable, Sendable, BitwiseCopyable {
    /// All chunks of the burst are acknowledged, or known to be lost.
    case untilAcknowledged
    /// This much time has passed, acknowledged or not; up to 10 seconds.
    case time(Microseconds)

    var isValid: Bool {
        switch self {
        case .untilAcknowledged: true
        case .time(let span): span >= .zero && span <= .seconds(10)
        }
    }
}
