/// What is left of a receiver's timers, in microseconds.
///
/// A deadline would be a moment of 64 bits, and to set or compare one takes a microcontroller two
/// words, a carry and two constants. What is left of a span of less than 71 minutes has 32 bits,
/// and ``pass(_:)`` alone has to do with moments. A clock that leaps further than that leaps past
/// every deadline, which is what no time left means; so both are the same.
struct ReceiverTimers: BitwiseCopyable {
    /// What a timer is for.
    enum Name: Int {
        /// The end of the session, when nothing is heard or RESULT was kept long enough.
        case session
        /// The next frame that belongs to the state: REQUEST, BUSY, ACK or RESULT.
        case frame
        /// The next BUSY while an object is received and there is no credit to give.
        case busy
        /// The newest data frame of the epoch is as old as an ACK can tell. Nothing waits for it.
        case arrival
    }

    /// Left of a timer that does not run. One that is due has nothing left.
    static var off: UInt32 { .max }

    /// Until the first BUSY of what takes long.
    static var firstBusy: UInt32 { 100_000 }
    /// From one BUSY or REQUEST to the next.
    static var again: UInt32 { 1_000_000 }

    /// From a data frame to its ACK.
    static var acknowledgement: UInt32 { 250_000 }

    /// How old the newest data frame can be for an ACK to tell it.
    static var arrival: UInt32 { 255_000 }

    /// A limit as what is left of it at first; 71 minutes for more.
    static func span(_ limit: Microseconds) -> UInt32 {
        min(UInt32(clamping: limit.rawValue), off - 1)
    }

    private var left = InlineArray<4, UInt32>(repeating: off)

    /// What is left of a timer.
    subscript(name: Name) -> UInt32 {
        get { left[name.rawValue] }
        set { left[name.rawValue] = newValue }
    }

    /// Takes off the time that has passed.
    mutating func pass(_ elapsed: UInt32) {
        var index = left.count
        while index > 0 {
            index &-= 1
            if left[index] != Self.off { left[index] &-= min(left[index], elapsed) }
        }
    }

    /// What is left until something has to be done; ``off`` if nothing has.
    var least: UInt32 { min(self[.session], self[.frame], self[.busy]) }

    /// How long ago the newest data frame came, in milliseconds; 255 for more, 0 if none did.
    var delayMilliseconds: UInt8 {
        UInt8(truncatingIfNeeded: (Self.arrival &- min(self[.arrival], Self.arrival)) / 1_000)
    }
}
