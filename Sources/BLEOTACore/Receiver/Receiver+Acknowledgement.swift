/// The ACKs of the object whose chunks arrive, in one epoch after another.
extension Receiver {
    //= ACK-3: A receiver MUST begin a new epoch with every session and with every object.
    /// Begins to acknowledge an object, which the reassembler has begun.
    ///
    /// - Parameter durableMask: as in an ``ObjectPlan``.
    mutating func beginAcknowledging(durableMask: UInt32) {
        rejectionCount = 0
        hasCreditRunOut = false
        answersPoll = false
        durableByteCount = 0
        noteStored(durableMask: durableMask)
        beginEpoch()
    }

    @inline(never)
    mutating func beginEpoch() {
        epoch = epoch.next
        advertisedCumulative = reassembler.cumulative
        advertisedEdge = reassembler.cumulative
        timers[.frame] = 0
        timers[.arrival] = ReceiverTimers.off
        noteEdge()
    }

    //= ACK-4: A receiver MUST send ACK at once: as the first frame of an epoch; when a data
    //= frame with P arrives, also a repeated one; when POLL arrives; when a gap appears that
    //= was not there before; when the object is complete; and when the edge moves after the
    //= sender reached it.
    mutating func acknowledgeAtOnce() {
        answersPoll = true
        timers[.frame] = 0
    }

    //= ACK-5: A receiver MUST otherwise send ACK within 250 milliseconds of a data frame that is
    //= not yet acknowledged.
    /// A chunk arrived, maybe again.
    mutating func noteData(isUrgent: Bool) {
        if !leavesPaceToSender {
            timers[.frame] = min(timers[.frame], isUrgent ? 0 : ReceiverTimers.acknowledgement)
            if reassembler.highestEnd >= advertisedEdge { hasCreditRunOut = true }
        }
        noteEdge()
    }

    /// The first chunk for which there is no place, or that is too far past the durable part.
    //= ACK-6: The cumulative acknowledgement MUST be less than ⌊durable byte count ÷ chunk
    //= size⌋ + 65,536.
    @inline(never)
    var edge: UInt32 {
        let reported = reassembler.edge(showing: shownCountMax)
        let cumulative = reassembler.cumulative
        let paced = min(min(reported, acknowledgeableEnd), cumulative &+ creditCountMax)
        // What a shorter one would take back was said, and holds.
        return max(max(paced, cumulative), advertisedEdge)
    }

    var canAcknowledge: Bool { reassembler.cumulative <= acknowledgeableEnd }

    /// Of what is stored all may be durable, but for the part of what is erased together.
    @inline(never)  // Two callers.
    mutating func noteStored(durableMask: UInt32) {
        noteDurable(reassembler.storedByteCount & durableMask)
    }

    /// More of what is stored may be durable.
    mutating func noteDurable(_ byteCount: UInt32) {
        // What is not stored can't be durable: then the answer is a late one, of the manifest.
        durableByteCount = max(durableByteCount, min(byteCount, reassembler.storedByteCount))
        // A chunk has 12 bytes or more, so the sum has 32 bits.
        acknowledgeableEnd = durableByteCount / reassembler.chunkByteCount &+ 65_535
        noteEdge()
    }

    /// Notes that the edge may have moved, or the chunks have come nearer to it. Without credit
    /// BUSY is said.
    ///
    /// The sender needs to know before it comes to the edge that the edge has moved: when it is
    /// three quarters of the way there. Once it has come there, the store is the slower one,
    /// and from half of the way on each block that becomes free is told at once: to wait until
    /// more is free would cost a round trip in which nothing is on the way.
    @inline(never)
    mutating func noteEdge() {
        let edge = edge
        if edge > reassembler.cumulative {
            timers[.busy] = ReceiverTimers.off
        } else if timers[.busy] == ReceiverTimers.off {
            timers[.busy] = ReceiverTimers.firstBusy
        }
        if leavesPaceToSender {
            // Without credit to count on, only a new epoch has to be told.
            if hasMovedFar { timers[.frame] = 0 }
            return
        }
        if edge <= advertisedEdge { return }
        let most = min(reassembler.chunkCountOfRing, creditCountMax)
        let reserve = max(most / (hasCreditRunOut ? 2 : 4), 1)
        if reassembler.highestEnd &+ reserve > advertisedEdge { timers[.frame] = 0 }
    }

    //= ACK-12: A receiver MUST begin a new epoch when its cumulative acknowledgement has moved
    //= by 16,384 chunks or more since its last ACK.
    private var hasMovedFar: Bool {
        reassembler.cumulative &- advertisedCumulative > UInt32(Credit.chunkCountMax)
    }

    //= ACK-1: Within an epoch a receiver MUST NOT move the cumulative acknowledgement, the edge
    //= or the durable byte count back, nor withdraw a bit of the bitmap.
    /// Writes ACK; returns the length of the frame.
    mutating func writeAcknowledgement(into output: inout MutableRawSpan) -> Int {
        if hasMovedFar { beginEpoch() }
        advertisedCumulative = reassembler.cumulative
        advertisedEdge = edge
        let bitmapByteCount = reassembler.writeBitmap(
            showing: shownCountMax,
            at: Acknowledgement.bitmapOffset,
            into: &output
        )
        // No edge is before the cumulative acknowledgement, nor further past it than credit is
        // given at the most, which 16 bits hold.
        let creditCount = UInt16(truncatingIfNeeded: advertisedEdge &- advertisedCumulative)
        let acknowledgement = Acknowledgement(
            answersPoll: answersPoll,
            object: object,
            epoch: epoch,
            truncatedCumulative: UInt16(truncatingIfNeeded: advertisedCumulative),
            credit: leavesPaceToSender ? .unlimited : .chunks(creditCount),
            durableByteCount: durableByteCount,
            delayMilliseconds: timers.delayMilliseconds
        )
        answersPoll = false
        timers[.frame] = ReceiverTimers.off
        return acknowledgement.encode(
            bitmapInPlaceByteCount: bitmapByteCount,
            session: session.session,
            into: &output
        )
    }

    // MARK: - How far it got

    /// Whether the sender may send a chunk that is missing.
    package var hasCredit: Bool { edge > reassembler.cumulative }

    package var acknowledgedPosition: TransferPosition {
        let byteCount = UInt64(reassembler.cumulative) * UInt64(session.chunkSize.byteCount)
        return TransferPosition(object: object, byteCount: byteCount)
    }

    package var durablePosition: TransferPosition {
        TransferPosition(object: object, byteCount: UInt64(durableByteCount))
    }
}
