/// Frames that arrive from the link.
extension Receiver {
    mutating func open(_ open: SenderControl.Open) {
        //= OPEN-4: If a receiver gets an OPEN with the session number of its present session, it
        //= MUST answer again and change nothing.
        if isIn(open.session) { return answerAgain() }
        //= OPEN-5: If a receiver gets an OPEN with a session number other than that of its present
        //= session, it MUST end the present session without RESULT, keep what is durable, and open
        //= the new session. Exception: a receiver MUST drop an OPEN with the number of its previous
        //= session, because this OPEN is late.
        if previousSession == open.session { return }
        //= OPEN-10: While a receiver waits for the answer to its REQUEST, it MUST ignore an OPEN
        //= with another session number.
        if state == .requesting, session.session != open.session { return }
        // The current session names the transfer that the store has yet to discard. The sender
        // repeats OPEN.
        if tasks.contains(.discard) { return }
        leave(discarding: false)
        ticketNumber &+= 1
        session = open
        manifestFailureCount = 0
        publishFailureCount = 0
        timers[.session] = silenceLimit
        ask(in: .lookingUp)
    }

    //= OPEN-6: If a receiver gets POLL for a session that is not its present session, it MUST
    //= answer with RESULT *no session*, with a checksum computed for the session in that POLL.
    mutating func poll(_ poll: SenderControl.Poll) {
        if isIn(poll.session) { answerAgain() } else { answerStray(poll.session, .noSession) }
    }

    /// Whether this is the number of the current session, finished or not.
    private func isIn(_ number: SessionNumber) -> Bool {
        state != .idle && state != .requesting && session.session == number
    }

    //= END-2: A receiver MUST repeat its RESULT when POLL or OPEN of the session that the RESULT
    //= ended arrives, until CLOSE arrives, another session opens, or 10 seconds have passed since
    //= the receiver first sent the RESULT.
    //= OPEN-3: A receiver MUST answer OPEN with one of three frames: with ACK, which states its
    //= account; with BUSY, while it looks for what it holds of the transfer; or with RESULT.
    /// Answers a sender that is in the current session and asks for the receiver's state.
    @inline(never)  // Shared by OPEN and POLL.
    private mutating func answerAgain() {
        if state != .finished { timers[.session] = silenceLimit }
        timers[.frame] = 0
        if timers[.busy] != ReceiverTimers.off { timers[.busy] = 0 }
        answersPoll = true
    }

    mutating func close(_ close: SenderControl.Close) {
        guard state != .idle, session.session == close.session else { return }
        //= END-8: If CLOSE with the reason *withdrawn* arrives in a session that has not ended, a
        //= receiver MUST forget everything that it holds of the session's transfer, durable or not.
        end(close.reason, discarding: close.reason == .withdrawn)
    }

    /// The effect of a data frame.
    enum DataAction: Hashable {
        /// The frame was damaged, belonged to another epoch or had no place, or no object is
        /// being received.
        case dropped
        /// The chunk was missing and has been placed.
        case placed
        /// The chunk had arrived before.
        case repeated
    }

    //= DATA-2: A receiver MUST drop a data frame whose checksum is wrong for its session, object,
    //= epoch and chunk index.
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
