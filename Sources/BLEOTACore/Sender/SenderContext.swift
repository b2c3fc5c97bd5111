/// The sender's data that is independent of its state: the transfer, the measurements, and the
/// times of the last frame and of the last progress.
struct SenderContext: BitwiseCopyable {
    enum OpenTiming: Equatable, BitwiseCopyable {
        case unsent
        case sent(Instant)
        /// OPEN was sent more than once, or the receiver was busy. The time until the ACK is
        /// then not a round trip of the link.
        case unknown
    }

    /// The time of the current input. It is never before that of the previous input.
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
    /// The durable byte count in the first ACK of the image.
    var resumedFromByte: UInt32?
    /// The highest durable byte count of the image in any ACK.
    var durableByteCount: UInt32 = 0
    /// The time at which OPEN was sent, if its answer gives a round trip of the link.
    var openTiming = OpenTiming.unsent
    /// The time since which an answer is due, or `nil` if none is due.
    var waitingSince: Instant?
    /// Whether the link keeps datagrams in order, as far as is known. A link may be declared
    /// ordered and still reorder datagrams.
    var keepsOrder: Bool
    /// The progress over all sessions of this sender.
    var progress: SenderProgress
    /// Whether a chunk of the full size has ever arrived, which proves that the link carries
    /// this size.
    var isChunkSizeProven = false
    /// The length of the longest echo probe that was ever answered, whatever the sender's state
    /// when the answer arrived.
    var largestEchoByteCount: Int?

    /// The time to wait for a requested answer before sending a probe.
    var probeTimeout: Microseconds {
        roundTrip.probeTimeout(baseRoundTrip: baseRoundTrip.span)
    }

    /// The probe timeout when no frame requested an ACK. The receiver may then delay the ACK.
    var delayedProbeTimeout: Microseconds {
        probeTimeout + RoundTripEstimator.acknowledgementDelayMax
    }

    private(set) var acknowledgementLengths = AcknowledgementLengths()

    /// Returns one past the last chunk whose state is shown by an ACK. A bitmap that fills its
    /// frame counts as truncated at its end. If the bitmap is shorter, the chunks past its end have
    /// not arrived.
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

    /// The time at which the session ends if nothing changes.
    var abortDeadline: Instant {
        guard let waitingSince else { return progress.deadline }
        return min(progress.deadline, waitingSince + options.silenceLimit)
    }

    //= TIME-1: If a sender has waited for an answer for 10 seconds, and no valid frame has arrived,
    //= it MUST end the session with *silent*.
    //= TIME-2: A sender MUST end the session with *stalled* if there has been no news for 60
    //= seconds, or for 600 seconds if BUSY has arrived since the last news.
    //= TIME-6: A sender MUST end the session with *stalled* if it has not advanced further than
    //= ever for 600 seconds.
    /// Returns the reason to end the session now, or `nil` if there is none.
    func abortReason() -> Reason? {
        if let waitingSince, now >= waitingSince + options.silenceLimit { return .silent }
        return now >= abortDeadline ? .stalled : nil
    }
}
