/// What the link brings.
extension Receiver {
    /// What OPEN led to.
    enum OpenAction: Hashable {
        /// A session began.
        case opened
        /// It was a repetition, and the answer is repeated.
        case answeredAgain
        /// It was late, or not the one that was requested.
        case ignored
    }

    mutating func open(_ open: SenderControl.Open) -> OpenAction {
        //= OPEN-4: A receiver that gets an OPEN with the session number of its present session MUST
        //= answer again and change nothing.
        if isIn(open.session) {
            answerAgain()
            return .answeredAgain
        }
        //= OPEN-5: A receiver that gets an OPEN with another session number MUST drop the present
        //= session, keep what is durable, and open the new one; unless the number is that of the
        //= session before the present one, or of the last one where none is present, in which case
        //= the frame is late and MUST be dropped.
        if previousSession == open.session { return .ignored }
        //= OPEN-10: A receiver that requests MUST ignore an OPEN with another session number.
        if state == .requesting, session.session != open.session { return .ignored }
        // The session names the transfer that the store has yet to forget. OPEN is repeated.
        if tasks.contains(.discard) { return .ignored }
        leave(discarding: false)
        ticketNumber &+= 1
        session = open
        manifestFailureCount = 0
        publishFailureCount = 0
        timers[.session] = silenceLimit
        ask(in: .lookingUp)
        return .opened
    }

    /// What POLL led to.
    enum PollAction: Hashable {
        /// The ACK is told at once, or BUSY, or RESULT again.
        case answered
        /// The session is none here, and the sender is told so.
        case disowned
    }

    mutating func poll(_ poll: SenderControl.Poll) -> PollAction {
        guard isIn(poll.session) else {
            //= OPEN-6: A receiver that gets POLL for a session it is not in MUST answer RESULT *no
            //= session*, with the checksum of that session.
            answerStray(poll.session, .noSession)
            return .disowned
        }
        answerAgain()
        return .answered
    }

    /// Whether a session of this number is the present one, finished or not.
    private func isIn(_ number: SessionNumber) -> Bool {
        state != .idle && state != .requesting && session.session == number
    }

    //= END-2: A receiver MUST repeat its RESULT when POLL or OPEN of that session arrives, until
    //= CLOSE arrives, another session opens or 10 seconds have passed since it was sent first.
    //= OPEN-3: A receiver MUST answer OPEN with its account: ACK with what it has of the transfer,
    //= BUSY while it looks, or RESULT.
    /// The sender, which is in the present session, wants to know where things stand.
    @inline(never)  // OPEN and POLL have it in common.
    private mutating func answerAgain() {
        if state != .finished { timers[.session] = silenceLimit }
        timers[.frame] = 0
        if timers[.busy] != ReceiverTimers.off { timers[.busy] = 0 }
        answersPoll = true
    }

    /// What CLOSE led to.
    enum CloseAction: Hashable {
        /// It was of another session.
        case ignored
        /// The session is over.
        case ended(Reason)
    }

    mutating func close(_ close: SenderControl.Close) -> CloseAction {
        guard state != .idle, session.session == close.session else { return .ignored }
        //= END-8: A receiver that gets CLOSE with the reason *withdrawn* in a session that has not
        //= ended MUST forget what it holds of that transfer, durable or not, but for [END-9]. An
        //= image that was made current stays.
        end(close.reason, discarding: close.reason == .withdrawn)
        return .ended(close.reason)
    }

    /// What a data frame led to.
    enum DataAction: Hashable {
        /// It was damaged, of another epoch, without a place, or nothing is being received.
        case dropped
        /// Its chunk was missing, and now is not.
        case placed
        /// Its chunk had arrived before.
        case repeated
    }

    //= DATA-2: A receiver MUST drop a data frame whose checksum is wrong for the session,
    //= object and epoch it is in.
    mutating func data(_ frame: DataFrame, in datagram: RawSpan) -> DataAction {
        guard state == .receiving,
            let index = frame.chunkIndex(near: reassembler.cumulative),
            DataFrame.isIntact(
                datagram,
                chunkIndex: index,
                header: PseudoHeader(session: session.session, object: object, epoch: epoch)
            )
        else { return .dropped }
        timers[.session] = silenceLimit
        timers[.arrival] = ReceiverTimers.arrival
        if frame.isPoll { acknowledgeAtOnce() }
        let expected = reassembler.highestEnd
        guard index < edge else { return .dropped }
        let placement = reassembler.place(datagram.extracting(frame.payloadRange), at: index)
        switch placement {
        case .beyondEdge, .wrongLength: return .dropped
        case .placed, .repeated: break
        }
        let isPlaced = placement == .placed
        noteData(isUrgent: index > expected || isPlaced && reassembler.isComplete)
        return isPlaced ? .placed : .repeated
    }
}
