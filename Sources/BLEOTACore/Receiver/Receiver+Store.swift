/// The answers and tasks of the store.
///
/// An answer takes effect at the time of the last input, or at the time that ``advance(to:)``
/// has set since. Each answer is a function, not a case of an enum, because packing and
/// unpacking payloads takes hundreds of bytes of code on a microcontroller.
extension Receiver {
    // A store checks the state before it answers, so it gives only answers that the state
    // expects.

    //= OBJ-1: If a receiver does not have the manifest of the transfer, it MUST ask for object 0.
    //= It MUST NOT ask for object 1 before it has accepted the manifest.
    //= OBJ-2: When object 0 is complete, a receiver MUST check that the object has the byte count
    //= in OPEN, and that the first 8 bytes of the object's SHA-256 are the transfer tag. If the
    //= check fails, the receiver MUST ask for all of object 0 again, in a new epoch; after 3 such
    //= failures in a session it MUST end the session with RESULT *manifest mismatch*.
    /// Begins to receive the object in a plan. After judging, the object is the manifest again
    /// if the received manifest was not the one that OPEN announced.
    package mutating func planned(_ plan: ObjectPlan) {
        if state == .judging, plan.object == .manifest {
            manifestFailureCount &+= 1
            if manifestFailureCount >= 3 { return finish(.manifestMismatch) }
        }
        guard reassembler.begin(plan, chunkSize: session.chunkSize) else {
            return finish(.tooLarge, detail: reassembler.blockByteCountMax)
        }
        state = .receiving
        object = plan.object
        beginAcknowledging(durableMask: plan.durableMask)
        endObjectIfStored()
    }

    /// Records that a block is stored.
    ///
    /// - Parameter durableMask: a mask as in ``ObjectPlan`` if stored blocks are durable at
    ///   once. If the mask is 0, the store reports durable bytes with ``durable(byteCount:)``.
    package mutating func stored(block: Int, durableMask: UInt32 = 0) {
        guard reassembler.stored(block) else { return }
        rejectionCount = 0
        noteStored(durableMask: durableMask)
        endObjectIfStored()
    }

    /// Asks the store to judge or verify the object once its last block is stored.
    private mutating func endObjectIfStored() {
        guard reassembler.isStored else { return }
        // No further ACK contains this number, but a `DeviceReceiver` reports it.
        durableByteCount = reassembler.storedByteCount
        ask(in: object == .manifest ? .judging : .verifying)
    }

    //= OBJ-5: If a receiver rejects a block because its hash is wrong, it MUST begin a new epoch in
    //= which that block is missing. It MUST end the session with RESULT *block mismatch*, and the
    //= block number as detail, after 8 rejections without an accepted block between them.
    package mutating func rejected(block: Int) {
        guard reassembler.rejected(block) else { return }
        statistics.count(.blockRejected)
        beginEpoch()
        rejectionCount &+= 1
        // The number of a block that was handed over is never negative.
        if rejectionCount >= 8 {
            finish(.blockMismatch, detail: UInt64(truncatingIfNeeded: block))
        }
    }

    /// Records that more of the object is durable.
    package mutating func durable(byteCount: UInt32) { noteDurable(byteCount) }

    package mutating func lookUpAgain() {
        publishFailureCount &+= 1
        if publishFailureCount >= 3 { return finish(.imageMismatch) }
        ask(in: .lookingUp)
    }

    //= END-1: If a receiver has made the image current, it MUST send RESULT *verified*.
    /// Ends the session as verified: the image is current, from now on or since an earlier
    /// session.
    package mutating func published(digestPrefix: UInt64) {
        finish(.verified, detail: digestPrefix)
    }

    //= OBJ-3: A receiver MUST refuse a manifest that breaks a rule of section 4.2, that exceeds the
    //= limits of the receiver, or that its policy does not allow. It MUST do so before it erases or
    //= writes any part of the image.
    package mutating func refused(_ reason: Reason, detail: UInt64) {
        finish(reason, discarding: state == .judging, detail: detail)
    }

    // MARK: - Tasks

    /// Enters a state that waits for the store, and requests the answer from the store.
    @inline(never)
    mutating func ask(in state: ReceiverState) {
        self.state = state
        // An image that is being verified is durable as a whole. In any other state, nothing of
        // the next object is durable yet.
        if state != .verifying { durableByteCount = 0 }
        tasks.insert(.question)
        timers[.frame] = ReceiverTimers.firstBusy
        timers[.busy] = ReceiverTimers.off
    }

    /// Withdraws the pending question of the ending session, and asks the store to release the
    /// transfer.
    ///
    /// A store that lags behind gets a single release for all sessions that it has not begun to
    /// serve. If the transfer of one of them is to be discarded, the store gets a discard, possibly
    /// after a release.
    @inline(never)
    mutating func askForRelease(discarding: Bool) {
        let due = tasks.subtracting(.question)
        tasks = discarding ? due.union(.discard) : due.isEmpty ? .release : due
    }

    /// Removes and returns the next task of the store other than writing blocks. Returns the
    /// empty set if there is none.
    package mutating func takeTask() -> ReceiverTasks { tasks.takeNext() }

    /// Returns the next block to write, or `nil` if there is none.
    package mutating func nextCompleteBlock() -> Int? { reassembler.nextCompleteBlock() }
}
