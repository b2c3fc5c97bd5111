/// Bursts of N chunks with a pause after each: the field's rule, in both its readings.
struct BurstWindow: BitwiseCopyable {
    private let chunkCount: Int
    private let pause: BurstPause
    private var sentInBurst = 0
    /// When the pause ends by the clock; `nil` outside a timed pause.
    private(set) var resumesAt: Instant?

    init(chunkCount: Int, pause: BurstPause) {
        self.chunkCount = chunkCount
        self.pause = pause
    }

    var allowance: Int { chunkCount - sentInBurst }

    /// An ACK at the end of each burst; in a timed burst none is needed.
    var pollInterval: Int { isTimed ? .max : chunkCount }

    var isTimed: Bool { pause != .untilAcknowledged }

    mutating func chunkSent() {
        sentInBurst = min(sentInBurst + 1, chunkCount)
        resumesAt = nil
    }

    /// The caller has handed on what it was given and asks for more. A timed pause begins here and
    /// not with the last chunk of the burst: to hand that on may have taken a good part of it.
    mutating func asked(at now: Instant) {
        guard sentInBurst == chunkCount, resumesAt == nil, case .time(let span) = pause else {
            return
        }
        resumesAt = now + span
    }

    mutating func update(inFlight: Int, at now: Instant) {
        guard sentInBurst == chunkCount else { return }
        switch pause {
        case .untilAcknowledged:
            if inFlight == 0 { sentInBurst = 0 }
        //= WINDOW-4: A sender MUST end the pause of a timed burst by its clock alone.
        case .time:
            if let resumesAt, now >= resumesAt {
                sentInBurst = 0
                self.resumesAt = nil
            }
        }
    }
}
