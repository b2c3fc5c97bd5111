/// Timeouts, transmissions and deadlines of the sender's states.
extension SenderState {
    mutating func timeout(context: inout SenderContext) {
        if outcome != nil { return }
        if let reason = context.abortReason() { return abort(reason) }
        switch consume self {
        //= OPEN-2: A sender MUST repeat OPEN, with the same session number, until an ACK or a
        //= RESULT arrives or a limit of section 9 ends the session.
        case .opening(var opening):
            opening.open.expire(at: context.now)
            self = .opening(opening)
        case .streaming(var streaming):
            switch streaming.timeout(context: &context) {
            case .stay: self = .streaming(streaming)
            case .discoverSize: self = .discoveringSize(SizeDiscovery(context: context))
            case .reopen:
                self = .reopening(chunkSize: context.chunkSize, context: &context)
            }
        case .awaitingResult(var awaiting):
            awaiting.poll.expire(at: context.now)
            self = .awaitingResult(awaiting)
        case .discoveringSize(var discovery):
            if discovery.isOver(context: context) {
                if context.largestEchoByteCount != nil { context.isChunkSizeProven = true }
                let chunkSize = SizeDiscovery.conclusion(context)
                self = .reopening(chunkSize: chunkSize, context: &context)
            } else {
                self = .discoveringSize(discovery)
            }
        case .ended(let ended): self = .ended(ended)
        }
    }

    /// Returns the next datagram to send, or `nil` if there is none before the next input.
    mutating func nextTransmission(
        context: inout SenderContext
    ) -> SenderTransmission? {
        switch consume self {
        case .opening(var opening):
            let isDue = opening.open.takePending()
            self = .opening(opening)
            return isDue ? context.open() : nil
        case .streaming(var streaming):
            let transmission = streaming.nextTransmission(context: &context)
            self = .streaming(streaming)
            return transmission
        case .awaitingResult(var awaiting):
            let isDue = awaiting.poll.takePending()
            self = .awaitingResult(awaiting)
            return isDue ? context.poll(awaiting.object, awaiting.epoch) : nil
        case .discoveringSize(var discovery):
            let byteCount = discovery.nextByteCount(context)
            self = .discoveringSize(discovery)
            guard let byteCount else { return nil }
            context.awaitsAnswer()
            // The size is its own token, so a late reply is never mistaken for a reply to a probe
            // of another size.
            return .echo(token: UInt16(byteCount), byteCount: byteCount)
        case .ended(var ended):
            let close = ended.takeClose(in: context.session)
            self = .ended(ended)
            return close
        }
    }

    //= TIME-4: Every wait in either state machine MUST have a deadline.
    /// Returns the time by which `timeout` must be called if no input arrives before then, or
    /// `nil` after the end of the session.
    func deadline(context: borrowing SenderContext) -> Instant? {
        switch self {
        case .opening(let opening): min(opening.open.deadline, context.abortDeadline)
        case .streaming(let streaming): earlier(streaming.deadline, context.abortDeadline)
        case .awaitingResult(let awaiting): min(awaiting.poll.deadline, context.abortDeadline)
        case .discoveringSize(let discovery): min(discovery.deadline, context.abortDeadline)
        case .ended: nil
        }
    }
}
