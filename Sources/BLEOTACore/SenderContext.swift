/// What a sender keeps over all its states: what it offers, what it measured, and when it last
/// heard and got on.
struct SenderContext: BitwiseCopyable {
    let offer: Offer
    let options: SenderOptions
    let ring: UnsafeMutableBufferPointer<SentChunk>
    var session: SessionNumber
    var chunkSize: ChunkSize
    let frameByteCountMax: Int
    var roundTrip = RoundTripEstimator()
    var idleRoundTrip = IdleRoundTrip()
    var statistics = SenderStatistics()
    /// The durable part of the image in the first account that had one.
    var resumedFromByte: UInt32?
    /// The durable part of the image in the newest account.
    var durableByteCount: UInt32 = 0
    /// Since when an answer is due; `nil` while none is.
    var waitingSince: Instant?
    var lastProgress: Instant
    /// Whether the receiver said since then that it is busy.
    var wasBusySinceProgress = false
    /// What the last account of a new epoch began with. A session that is opened anew and finds
    /// the same has not come any further.
    var adoptedStart: (object: ObjectID, byteOffset: UInt64)?
    /// Whether any chunk of this session was acknowledged.
    var hasAnythingArrived = false
    /// How far chunks went out that nobody paces or acknowledges ([CREDIT-4]).
    var pacedEnd: (object: ObjectID, byteOffset: UInt64)?
    /// Whether a whole chunk of this size has ever arrived, so that the size is beyond doubt.
    var isChunkSizeProven = false

    /// How long to wait for what a frame asked for at once before something is sent to provoke it.
    var probeTimeout: Microseconds {
        roundTrip.probeTimeout(idleRoundTrip: idleRoundTrip.span)
    }

    /// The same where nothing asked for an ACK, which the receiver may then delay.
    var delayedProbeTimeout: Microseconds {
        probeTimeout + RoundTripEstimator.acknowledgementDelayMax
    }

    /// The threshold of [REPAIR-1].
    var lossThreshold: Int { options.isLinkOrdered ? 1 : 3 }

    /// One past the last chunk whose fate an account tells. A bitmap that fills its frame was cut
    /// there; what is missing at the end of a shorter one has not arrived.
    func toldEnd(of account: Acknowledgement, cumulative: UInt32) -> UInt32 {
        guard account.byteCount >= frameByteCountMax else { return .max }
        return cumulative + 1 + UInt32(account.bitmap.endIndex)
    }

    mutating func heard() { waitingSince = nil }

    mutating func progressed(at now: Instant) {
        lastProgress = now
        wasBusySinceProgress = false
    }

    /// An account of a new epoch begins here. Only one that begins elsewhere than the last counts
    /// as a change of the account, or opening anew for ever would pass for progress.
    mutating func adopted(_ object: ObjectID, byteOffset: UInt64, at now: Instant) {
        if let adoptedStart, adoptedStart == (object, byteOffset) { return }
        adoptedStart = (object, byteOffset)
        progressed(at: now)
    }

    /// A chunk that nobody paces goes out. The account does not change before the next poll, so
    /// that getting further counts as progress; sending again what was sent before does not.
    mutating func paced(_ object: ObjectID, byteEnd: Int, at now: Instant) {
        let byteEnd = UInt64(byteEnd)
        if let pacedEnd, pacedEnd.object == object, pacedEnd.byteOffset >= byteEnd { return }
        pacedEnd = (object, byteEnd)
        progressed(at: now)
    }

    /// The receiver has forgotten the session, and with it what is not durable. If nothing had
    /// arrived, to send it all again is no progress.
    mutating func forgotten() {
        if hasAnythingArrived { pacedEnd = nil }
        hasAnythingArrived = false
    }

    mutating func awaitsAnswer(from now: Instant) {
        if waitingSince == nil { waitingSince = now }
    }

    /// When the session ends if nothing changes.
    var giveUpDeadline: Instant {
        let stalled =
            lastProgress + (wasBusySinceProgress ? options.busyLimit : options.progressLimit)
        guard let waitingSince else { return stalled }
        return min(stalled, waitingSince + options.silenceLimit)
    }

    //= TIME-1: A sender MUST end the session with *silent* when nothing valid arrived for 10
    //= seconds while it waited for something.
    //= TIME-2: A sender MUST end the session with *stalled* when for 60 seconds the account did not
    //= change, BUSY not counted; with BUSY, when 600 seconds have passed.
    /// Why the session has to end now, if it has.
    func reasonToGiveUp(at now: Instant) -> Reason? {
        if let waitingSince, now >= waitingSince + options.silenceLimit { return .silent }
        return now >= giveUpDeadline ? .stalled : nil
    }
}
