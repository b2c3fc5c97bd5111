/// Bursts of N chunks with a pause after each. The pause lasts until the burst is acknowledged
/// or for a fixed time; both variants are common practice.
struct BurstWindow: BitwiseCopyable {
    private let chunkCount: Int
    private let pause: BurstPause
    private var sentInBurst = 0
    /// The time at which a timed pause ends, or `nil` outside a timed pause.
    private(set) var resumesAt: Instant?

    init(chunkCount: Int, pause: BurstPause) {
        self.chunkCount = chunkCount
        self.pause = pause
    }

    var allowance: Int { chunkCount - sentInBurst }

    /// The number of chunks after which to request an ACK. A timed burst needs none.
    var pollInterval: Int { isTimed ? .max : chunkCount }

    var isTimed: Bool { pause != .untilAcknowledged }

    mutating func chunkSent() {
        sentInBurst = min(sentInBurst + 1, chunkCount)
        resumesAt = nil
    }

    /// Notes that the caller has sent all chunks so far and asks to send more. A timed pause
    /// begins here and not with the last chunk of the burst, because sending that chunk may
    /// have taken much of the pause.
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
