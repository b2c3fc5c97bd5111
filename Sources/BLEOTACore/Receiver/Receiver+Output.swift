/// Session endings, timeouts and outgoing frames.
extension Receiver {
    //= END-6: If a session ends for any reason but two, a receiver MUST keep what is durable.
    /// Releases the store if the session uses it. The caller sets the next state.
    @inline(never)
    mutating func leave(discarding: Bool) {
        switch state {
        case .idle, .requesting: return
        case .finished: break
        case .lookingUp, .receiving, .judging, .verifying: askForRelease(discarding: discarding)
        }
        previousSession = session.session
    }

    /// Ends the session without sending a frame. If the session is finished, its end was
    /// reported before.
    @inline(never)
    mutating func end(_ reason: Reason, discarding: Bool) {
        leave(discarding: discarding)
        if state != .finished {
            result.reason = reason
            isEndingUnreported = true
        }
        state = .idle
        timers = ReceiverTimers()
    }

    /// Ends a session that uses the store, and sends RESULT. The session number stays current
    /// until another session opens.
    @inline(never)
    mutating func finish(_ reason: Reason, discarding: Bool = false, detail: UInt64 = 0) {
        askForRelease(discarding: discarding)
        result = .init(reason: reason, detail: detail)
        isEndingUnreported = true
        state = .finished
        timers[.session] = resultLimit
        timers[.frame] = 0
        timers[.busy] = ReceiverTimers.off
    }

    //= TIME-3: If no valid frame has arrived for 30 seconds, a receiver MUST end the session, and
    //= keep what is durable.
    /// Ends the session if its silence limit has passed or RESULT has been kept for long enough.
    /// Frames that are due are written by ``writeNextFrame(into:)`` and not here.
    public mutating func timeout() {
        if timers[.session] == 0 { end(.silent, discarding: false) }
    }

    //= END-7: While a receiver looks up a transfer, judges a manifest, verifies an image, or writes
    //= without giving credit, it MUST send BUSY: for the first time at most 100 milliseconds after
    //= this work began, then at least every second, and at once when POLL or a repeated OPEN
    //= arrives.
    /// Writes the next frame that is due in the current state. Returns `nil` if there is none
    /// before the next input.
    mutating func writeStateFrame(into output: inout MutableRawSpan) -> WrittenFrame? {
        if timers[.busy] == 0 {
            timers[.busy] = ReceiverTimers.again
        } else {
            guard timers[.frame] == 0 else { return nil }
            if let byteCount = writeDueFrame(into: &output) {
                return WrittenFrame(session: session.session, byteCount: byteCount)
            }
        }
        return writeBusy(into: &output)
    }

    /// Writes the frame that is due in the current state. Returns `nil` if that frame is BUSY.
    private mutating func writeDueFrame(into output: inout MutableRawSpan) -> Int? {
        switch state {
        case .requesting:
            //= OPEN-8: A receiver MUST repeat REQUEST, with the same session number, until OPEN or
            //= CLOSE arrives or its silence limit ends the session.
            timers[.frame] = ReceiverTimers.again
            return ReceiverControl.Request(session: session.session, nameTag: requestedName)
                .encode(into: &output)
        // While the receiver is idle, no frame is due.
        case .idle, .lookingUp, .judging, .verifying:
            timers[.frame] = ReceiverTimers.again
            return nil
        case .receiving:
            guard canAcknowledge else {
                // The store must catch up first. Meanwhile, the sender gets BUSY.
                answersPoll = false
                timers[.frame] = ReceiverTimers.acknowledgement
                timers[.arrival] = ReceiverTimers.arrival
                return nil
            }
            statistics.count(.acknowledgementSent)
            return writeAcknowledgement(into: &output)
        case .finished:
            timers[.frame] = ReceiverTimers.off
            return result.encode(session: session.session, into: &output)
        }
    }

    private func writeBusy(into output: inout MutableRawSpan) -> WrittenFrame {
        let phase: BusyPhase =
            switch state {
            case .lookingUp: .lookingUp
            case .receiving: .writing
            case .judging: .judging
            default: .verifying
            }
        // Before the first epoch of a session, BUSY carries object 0 and epoch 0.
        let hasEpoch = phase != .lookingUp
        let busy = ReceiverControl.Busy(
            phase: phase,
            object: hasEpoch ? object : .manifest,
            epoch: hasEpoch ? epoch : Epoch(0),
            millisecondsLeft: 0
        )
        return WrittenFrame(
            session: session.session,
            byteCount: busy.encode(session: session.session, into: &output)
        )
    }
}
