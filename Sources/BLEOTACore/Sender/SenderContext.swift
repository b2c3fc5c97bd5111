/// What a sender keeps over all its states: what it offers, what it measured, and when it last
/// heard and got on.
struct SenderContext: BitwiseCopyable {
    enum OpenTiming: Equatable, BitwiseCopyable {
        case unsent
        case sent(Instant)
        /// It went out more than once, or the receiver was busy: then the time until the ACK is no
        /// round trip of the link.
        case unknown
    }

    /// When the present input happens, which is never before the last one.
    var now: Instant
    let transfer: TransferDescription
    let options: SenderOptions
    let ring: UnsafeMutableBufferPointer<SentChunk>
    var session: SessionNumber
    var chunkSize: ChunkSize
    let frameByteCountMax: Int
    var roundTrip = RoundTripEstimator()
    var baseRoundTrip = BaseRoundTrip()
    var statistics = SenderStatistics()
    /// The durable part of the image in the first ACK that had one.
    var resumedFromByte: UInt32?
    /// The durable part of the image in the newest ACK.
    var durableByteCount: UInt32 = 0
    /// When OPEN went out, if that is known to make a round trip of the link.
    var openTiming = OpenTiming.unsent
    /// Since when an answer is due; `nil` while none is.
    var waitingSince: Instant?
    /// Whether datagrams keep their order, as far as is known: a link may be said to and not do so.
    var keepsOrder: Bool
    /// Over all sessions of this sender.
    var progress: SenderProgress
    /// Whether a whole chunk of this size has ever arrived, so that the size is beyond doubt.
    var isChunkSizeProven = false
    /// The largest echo probe that was ever answered, in whatever state the answer came.
    var largestEchoByteCount: Int?

    /// How long to wait for what a frame asked for at once before something is sent to provoke it.
    var probeTimeout: Microseconds {
        roundTrip.probeTimeout(baseRoundTrip: baseRoundTrip.span)
    }

    /// The same where nothing asked for an ACK, which the receiver may then delay.
    var delayedProbeTimeout: Microseconds {
        probeTimeout + RoundTripEstimator.acknowledgementDelayMax
    }

    private(set) var acknowledgementLengths = AcknowledgementLengths()

    /// One past the last chunk whose fate an ACK tells. A bitmap that fills its frame was cut
    /// there; what is missing at the end of a shorter one has not arrived.
    mutating func reportedEnd(of acknowledgement: Acknowledgement, cumulative: UInt32) -> UInt32 {
        acknowledgementLengths.note(acknowledgement.byteCount)
        let byteCountMax = min(frameByteCountMax, ReceiverControl.byteCountMax)
        guard acknowledgement.byteCount >= byteCountMax || acknowledgementLengths.isCutShort else {
            return .max
        }
        return cumulative + 1 + UInt32(acknowledgement.bitmap.endIndex)
    }

    mutating func heard() { waitingSince = nil }

    mutating func awaitsAnswer() {
        if waitingSince == nil { waitingSince = now }
    }

    /// When the session ends if nothing changes.
    var abortDeadline: Instant {
        guard let waitingSince else { return progress.deadline }
        return min(progress.deadline, waitingSince + options.silenceLimit)
    }

    //= TIME-1: A sender MUST end the session with *silent* when nothing valid arrived for 10
    //= seconds while it waited for something.
    //= TIME-2: A sender MUST end the session with *stalled* when there was no news for 60 seconds,
    //= or for 600 seconds where the receiver was BUSY since the last, and when it got no further
    //= than ever for 600 seconds.
    /// Why the session has to end now, if it has.
    func abortReason() -> Reason? {
        if let waitingSince, now >= waitingSince + options.silenceLimit { return .silent }
        return now >= abortDeadline ? .stalled : nil
    }
}
