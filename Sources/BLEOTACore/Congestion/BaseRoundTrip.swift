/// The time that an answer takes over a link that is otherwise idle.
///
/// On Bluetooth LE it is two connection intervals, whatever their length: a frame sent in reply
/// to another waits for the next connection event, and its own answer waits for the event after
/// that. A sender has no other way to learn the connection interval. Round trips of a busy link
/// do not show it, because an answer may arrive in the same event as the frame that it answers.
struct BaseRoundTrip: BitwiseCopyable {
    /// The lower bound of the idle round trip: less than two connection intervals of 7.5 ms, the
    /// minimum before Core 6.2.
    static var shortest: Microseconds { .milliseconds(10) }
    private static var longest: Microseconds { .milliseconds(2_000) }

    private var known: Microseconds?
    /// Whether a chunk has been answered. The answer to OPEN may take less than the idle round
    /// trip, because OPEN may have been sent just before a connection event.
    private(set) var isConfirmed = false

    /// The idle round trip, 10 ms to 2 s, or 60 ms while it is unknown.
    var span: Microseconds {
        min(max(known ?? .milliseconds(60), Self.shortest), Self.longest)
    }

    /// Records that OPEN was answered by an ACK without a BUSY before it.
    mutating func opened(after span: Microseconds) {
        if !isConfirmed { known = span }
    }

    /// Records the answer to the first chunks of a session. Later answers have no effect.
    mutating func chunkAnswered(after span: Microseconds) {
        guard !isConfirmed else { return }
        isConfirmed = true
        known = max(known ?? span, span)
    }
}
