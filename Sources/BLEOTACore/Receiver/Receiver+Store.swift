/// What the store says, and what it has to do.
///
/// An answer is of the moment of the last input, or of that to which ``advance(to:)`` moves on.
/// There is a function for each and no enum: to pack and unpack its payloads takes a
/// microcontroller hundreds of bytes of code.
extension Receiver {
    // A store looks at the state before it answers, and so says only what the state waits for.

    //= OBJ-1: A receiver that does not have the manifest of the transfer MUST ask for object 0, and
    //= for object 1 only when the manifest is accepted.
    //= OBJ-2: A receiver MUST check that object 0, once complete, has the byte count and the
    //= SHA-256 that OPEN announced in part, and begin it anew, in a new epoch, if not; after 3 such
    //= failures of a session it MUST end the session with RESULT *manifest mismatch*.
    /// This is what has to be received next; after a look at the manifest, the manifest again if
    /// it is not the one announced.
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

    /// A block is written.
    ///
    /// - Parameter durableMask: as in an ``ObjectPlan``, where what is written is durable at once.
    package mutating func stored(block: Int, durableMask: UInt32 = 0) {
        guard reassembler.stored(block) else { return }
        rejectionCount = 0
        noteStored(durableMask: durableMask)
        endObjectIfStored()
    }

    /// Has the object judged or verified when its last block is stored.
    private mutating func endObjectIfStored() {
        guard reassembler.isStored else { return }
        // No ACK carries it any more, but a device reports it.
        durableByteCount = reassembler.storedByteCount
        ask(in: object == .manifest ? .judging : .verifying)
    }

    //= OBJ-5: A receiver that rejects a block MUST begin a new epoch in which that block is
    //= missing; after 8 rejections without an accepted block between them it MUST end the session
    //= with RESULT *block mismatch* and the block number as detail.
    package mutating func rejected(block: Int) {
        guard reassembler.rejected(block) else { return }
        statistics.count(.blockRejected)
        beginEpoch()
        rejectionCount &+= 1
        // What was with the store has no sign.
        if rejectionCount >= 8 {
            finish(.blockMismatch, detail: UInt64(truncatingIfNeeded: block))
        }
    }

    /// More of the object is durable.
    package mutating func durable(byteCount: UInt32) { noteDurable(byteCount) }

    package mutating func lookUpAgain() {
        publishFailureCount &+= 1
        if publishFailureCount >= 3 { return finish(.imageMismatch) }
        ask(in: .lookingUp)
    }

    //= END-1: A receiver that has made the image current MUST send RESULT *verified*, whose detail
    //= holds the first 8 bytes of the SHA-256 it computed of the image, decoded if it travelled
    //= encoded, as a little-endian number.
    /// The image is current, since now or from before.
    package mutating func published(digestPrefix: UInt64) {
        finish(.verified, detail: digestPrefix)
    }

    //= OBJ-3: A receiver MUST refuse a manifest that breaks a rule of section 4.2, that exceeds its
    //= limits or that its policy does not allow, before it erases or writes anything of the image.
    package mutating func refused(_ reason: Reason, detail: UInt64) {
        finish(reason, discarding: state == .judging, detail: detail)
    }

    // MARK: - Tasks

    /// Goes to a state that waits for the store, and asks it.
    @inline(never)
    mutating func ask(in state: ReceiverState) {
        self.state = state
        // Of what is verified all is durable; else nothing is of what comes next.
        if state != .verifying { durableByteCount = 0 }
        tasks.insert(.question)
        timers[.frame] = ReceiverTimers.firstBusy
        timers[.busy] = ReceiverTimers.off
    }

    /// Drops what was asked for on behalf of a session that ends, and asks to let go of it.
    ///
    /// A store that is late finds one release for all sessions that it has not begun with, or two:
    /// one that forgets and before it one that does not.
    @inline(never)
    mutating func askForRelease(discarding: Bool) {
        let due = tasks.subtracting(.question)
        tasks = discarding ? due.union(.discard) : due.isEmpty ? .release : due
    }

    /// Takes out what a store has to do next besides writing blocks; empty if there is nothing.
    package mutating func takeTask() -> ReceiverTasks { tasks.takeNext() }

    /// The next block to write.
    package mutating func nextCompleteBlock() -> Int? { reassembler.nextCompleteBlock() }
}
