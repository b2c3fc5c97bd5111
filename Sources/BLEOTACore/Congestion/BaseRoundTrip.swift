/// How long an answer takes over a link that has nothing else to carry.
///
/// On Bluetooth LE that is two connection intervals, whatever they are: what is sent on the arrival
/// of an answer waits for the next connection event, and its own answer for the one after that.
/// Nothing else tells a sender the connection interval. Round trips of a busy link don't: there an
/// answer may come in the event that brought the question.
struct BaseRoundTrip: BitwiseCopyable {
    /// Less than two of the shortest connection intervals.
    static var shortest: Microseconds { .milliseconds(10) }
    private static var longest: Microseconds { .milliseconds(2_000) }

    private var known: Microseconds?
    /// Whether chunks were answered, and not OPEN alone, which may have come right before a
    /// connection event.
    private(set) var isConfirmed = false

    /// 10 ms to 2 s; 60 ms until it is known.
    var span: Microseconds {
        min(max(known ?? .milliseconds(60), Self.shortest), Self.longest)
    }

    /// OPEN was answered at once, and not by BUSY before.
    mutating func opened(after span: Microseconds) {
        if !isConfirmed { known = span }
    }

    /// The first chunks of a session were answered; later ones say nothing.
    mutating func chunkAnswered(after span: Microseconds) {
        guard !isConfirmed else { return }
        isConfirmed = true
        known = max(known ?? span, span)
    }
}
