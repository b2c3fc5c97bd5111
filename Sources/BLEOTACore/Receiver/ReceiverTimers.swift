/// The time left on each of a receiver's timers, in microseconds.
///
/// A deadline would be a 64-bit instant, and setting or comparing one costs a microcontroller two
/// words, a carry and two constants. The time left is less than 71 minutes and fits in 32 bits. If
/// the clock jumps by more than that, all deadlines have passed, so the argument of ``pass(_:)`` is
/// never more than 71 minutes.
struct ReceiverTimers: BitwiseCopyable {
    /// The purpose of a timer.
    enum Name: Int {
        /// The end of the session, after nothing has arrived or RESULT has been kept for long
        /// enough.
        case session
        /// The next frame that the state sends: REQUEST, BUSY, ACK or RESULT.
        case frame
        /// The next BUSY while an object is being received and there is no credit to grant.
        case busy
        /// The age of the newest data frame of the epoch. The timer is due when an ACK can no
        /// longer express that age, but no action follows.
        case arrival
    }

    /// The time left on a timer that is not running. A timer that is due has 0 left.
    static var off: UInt32 { .max }

    /// The time from the beginning of a long task to the first BUSY.
    static var firstBusy: UInt32 { 100_000 }
    /// The time from one BUSY or REQUEST to the next.
    static var again: UInt32 { 1_000_000 }

    /// The longest time from a data frame to its ACK.
    static var acknowledgement: UInt32 { 250_000 }

    /// The greatest age of the newest data frame that an ACK can express.
    static var arrival: UInt32 { 255_000 }

    /// Converts a limit to the initial time on a timer. Limits above 71 minutes count as 71
    /// minutes.
    static func span(_ limit: Microseconds) -> UInt32 {
        min(UInt32(clamping: limit.rawValue), off - 1)
    }

    private var left = InlineArray<4, UInt32>(repeating: off)

    /// The time left on a timer.
    subscript(name: Name) -> UInt32 {
        get { left[name.rawValue] }
        set { left[name.rawValue] = newValue }
    }

    /// Subtracts the time that has passed from all running timers.
    mutating func pass(_ elapsed: UInt32) {
        var index = left.count
        while index > 0 {
            index &-= 1
            if left[index] != Self.off { left[index] &-= min(left[index], elapsed) }
        }
    }

    /// The time left until the receiver must act, or ``off`` if no timer is running.
    var least: UInt32 { min(self[.session], self[.frame], self[.busy]) }

    /// The age of the newest data frame in milliseconds: 255 for any greater age, and 0 if there is
    /// none.
    var delayMilliseconds: UInt8 {
        UInt8(truncatingIfNeeded: (Self.arrival &- min(self[.arrival], Self.arrival)) / 1_000)
    }
}
