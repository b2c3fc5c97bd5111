/// The policy that limits how many chunks a sender keeps in flight (spec/bleota.md, section
/// 6.2).
///
/// Whatever the policy, the sender never exceeds the receiver's credit.
public enum WindowPolicy: Hashable, Sendable, BitwiseCopyable {
    /// Sends at the rate at which the link delivers, with a short queue. This is the default
    /// and suits every link.
    case automatic
    /// Keeps at most this many chunks in flight, 1 to 512. A window of 1 is stop-and-wait.
    case fixed(chunkCount: Int)
    /// Sends this many chunks, 1 to 512, then nothing until the pause is over. This suits
    /// devices that have a buffer of known size and no other flow control.
    case burst(chunkCount: Int, pause: BurstPause)

    /// The largest window: the number of chunks that the bitmap of an ACK can report.
    public static var chunkCountMax: Int { ReceivedBitmap.bitCount }

    /// Common practice: bursts of 12 chunks with a pause of 100 ms after each.
    public static var fieldRule: WindowPolicy {
        .burst(chunkCount: 12, pause: .time(.milliseconds(100)))
    }

    /// Whether all values are in range.
    var isValid: Bool {
        switch self {
        case .automatic: true
        case .fixed(let chunkCount): (1...Self.chunkCountMax).contains(chunkCount)
        case .burst(let chunkCount, let pause):
            (1...Self.chunkCountMax).contains(chunkCount) && pause.isValid
        }
    }
}

/// The condition that ends the pause after a burst.
public enum BurstPause: Hashable, Sendable, BitwiseCopyable {
    /// All chunks of the burst are acknowledged or known to be lost.
    case untilAcknowledged
    /// This time has passed, whether or not the burst is acknowledged. The time is 0 to 10
    /// seconds.
    case time(Microseconds)

    var isValid: Bool {
        switch self {
        case .untilAcknowledged: true
        case .time(let span): span >= .zero && span <= .seconds(10)
        }
    }
}
