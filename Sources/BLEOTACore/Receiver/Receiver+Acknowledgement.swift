/// The acknowledgement of received chunks, in one epoch after another.
extension Receiver {
    //= ACK-3: A receiver MUST begin a new epoch with every session and with every object.
    /// Begins acknowledging the object for which the reassembler has just been prepared.
    ///
    /// - Parameter durableMask: a mask as in ``ObjectPlan``.
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

    //= ACK-4: A receiver MUST send ACK at once in each of these cases: an epoch begins; a data
    //= frame with P arrives, even a repeated one; POLL arrives; a gap appears; the object becomes
    //= complete; the edge moves after the sender has reached it.
    mutating func acknowledgeAtOnce() {
        answersPoll = true
        timers[.frame] = 0
    }

    //= ACK-5: If a data frame is not yet acknowledged, and [ACK-4] does not ask for an ACK, a
    //= receiver MUST send ACK within 250 milliseconds of the data frame.
    /// Updates the timers after a chunk has arrived, new or repeated.
    mutating func noteData(isUrgent: Bool) {
        if !leavesPaceToSender {
            timers[.frame] = min(timers[.frame], isUrgent ? 0 : ReceiverTimers.acknowledgement)
            if reassembler.highestEnd >= advertisedEdge { hasCreditRunOut = true }
        }
        noteEdge()
    }

    /// The first chunk that has no place or is too far past the durable part.
    //= ACK-6: The cumulative acknowledgement MUST be less than ⌊durable byte count ÷ chunk
    //= size⌋ + 65,536.
    @inline(never)
    var edge: UInt32 {
        let reported = reassembler.edge(showing: shownCountMax)
        let cumulative = reassembler.cumulative
        let paced = min(min(reported, acknowledgeableEnd), cumulative &+ creditCountMax)
        // A smaller edge would withdraw credit that was already granted.
        return max(max(paced, cumulative), advertisedEdge)
    }

    var canAcknowledge: Bool { reassembler.cumulative <= acknowledgeableEnd }

    /// Records the durable part of the stored prefix, which excludes a partly stored erase
    /// unit.
    @inline(never)  // Two callers.
    mutating func noteStored(durableMask: UInt32) {
        noteDurable(reassembler.storedByteCount & durableMask)
    }

    /// Records that more of the stored part may be durable.
    mutating func noteDurable(_ byteCount: UInt32) {
        // Bytes that are not stored can't be durable. A larger number comes from a late answer
        // about the manifest.
        durableByteCount = max(durableByteCount, min(byteCount, reassembler.storedByteCount))
        // A chunk has at least 12 bytes, so the sum fits in 32 bits.
        acknowledgeableEnd = durableByteCount / reassembler.chunkByteCount &+ 65_535
        noteEdge()
    }

    /// Updates the timers when the edge may have moved or more chunks have arrived. If there is no
    /// credit left, BUSY becomes due.
    ///
    /// The sender must learn of a new edge before it reaches the old one. An ACK is therefore due
    /// when the arrived chunks are three quarters of the way there. If the sender has reached the
    /// edge since the object began, the store is slower than the link. From then on, each freed
    /// block is reported at once if the arrived chunks are at least halfway to the edge. Waiting
    /// for more free blocks would cost a round trip with nothing in flight.
    @inline(never)
    mutating func noteEdge() {
        let edge = edge
        if edge > reassembler.cumulative {
            timers[.busy] = ReceiverTimers.off
        } else if timers[.busy] == ReceiverTimers.off {
            timers[.busy] = ReceiverTimers.firstBusy
        }
        if leavesPaceToSender {
            // With unlimited credit, only a new epoch must be reported.
            if hasMovedFar { timers[.frame] = 0 }
            return
        }
        if edge <= advertisedEdge { return }
        let most = min(reassembler.chunkCountOfRing, creditCountMax)
        let reserve = max(most / (hasCreditRunOut ? 2 : 4), 1)
        if reassembler.highestEnd &+ reserve > advertisedEdge { timers[.frame] = 0 }
    }

    //= ACK-12: If the cumulative acknowledgement has moved by 16,384 chunks or more since the last
    //= ACK, a receiver MUST begin a new epoch.
    private var hasMovedFar: Bool {
        reassembler.cumulative &- advertisedCumulative > UInt32(Credit.chunkCountMax)
    }

    //= ACK-1: Within an epoch, a receiver MUST NOT decrease the cumulative acknowledgement, the
    //= edge or the durable byte count. It MUST NOT clear a bit of the bitmap for a chunk that has
    //= arrived.
    /// Writes an ACK and returns the length of the frame.
    mutating func writeAcknowledgement(into output: inout MutableRawSpan) -> Int {
        if hasMovedFar { beginEpoch() }
        advertisedCumulative = reassembler.cumulative
        advertisedEdge = edge
        let bitmapByteCount = reassembler.writeBitmap(
            showing: shownCountMax,
            at: Acknowledgement.bitmapOffset,
            into: &output
        )
        // The edge is never before the cumulative acknowledgement, and never further past it
        // than the largest credit, so the difference fits in 16 bits.
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

    // MARK: - Progress

    /// Whether the sender may send a missing chunk.
    package var hasCredit: Bool { edge > reassembler.cumulative }

    package var acknowledgedPosition: TransferPosition {
        let byteCount = UInt64(reassembler.cumulative) * UInt64(session.chunkSize.byteCount)
        return TransferPosition(object: object, byteCount: byteCount)
    }

    package var durablePosition: TransferPosition {
        TransferPosition(object: object, byteCount: UInt64(durableByteCount))
    }
}
