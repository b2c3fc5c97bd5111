public import BLEOTACore

/// The interface for a store that answers after a delay, possibly during a later session.
extension Receiver {
    /// Returns the next task of the store, or `nil` if there is none before the next input.
    public mutating func nextTask() -> StorageTask? {
        switch takeTask() {
        case .release: return .release(discarding: false)
        case .discard: return .release(discarding: true)
        case .question: break
        default:
            guard state == .receiving else { return nil }
            return nextCompleteBlock().map { .write(object, block: $0) }
        }
        return switch state {
        case .lookingUp: .lookUp(session.tag, manifestByteCount: session.manifestByteCount)
        case .judging: .judge
        default: .publish
        }
    }

    /// The ticket that connects the tasks of the current session with their answers.
    public var ticket: StorageTicket { StorageTicket(number: ticketNumber) }

    /// Handles an answer from the store.
    ///
    /// - Parameters:
    ///   - answer: the answer to a task.
    ///   - ticket: the ticket that the receiver had when it issued the task. An answer to a task of
    ///     an earlier session is ignored.
    ///   - now: the current time.
    public mutating func handle(
        _ answer: StorageAnswer,
        for ticket: StorageTicket,
        at now: Instant
    ) {
        advance(to: now)
        guard ticket == self.ticket else { return }
        self.answer(answer)
    }

    fileprivate mutating func answer(_ answer: StorageAnswer) {
        guard isExpected(answer) else { return }
        switch answer {
        case .planned(let plan), .manifestMismatch(let plan): planned(plan)
        case .alreadyCurrent(let digestPrefix), .published(let digestPrefix):
            published(digestPrefix: digestPrefix)
        case .lookUpAgain: lookUpAgain()
        case .stored(let block): stored(block: block)
        case .rejected(let block): rejected(block: block)
        case .durable(let byteCount): durable(byteCount: byteCount)
        case .refused(let reason, let detail): refused(reason, detail: detail)
        }
    }

    /// Whether the current state expects the answer. A late answer is not expected.
    private func isExpected(_ answer: StorageAnswer) -> Bool {
        switch answer {
        case .planned: state == .lookingUp || state == .judging
        case .manifestMismatch: state == .judging
        case .alreadyCurrent, .published: state == .lookingUp || state == .verifying
        case .lookUpAgain: state == .verifying
        case .stored, .rejected, .durable: state == .receiving
        case .refused: state != .idle && state != .requesting && state != .finished
        }
    }
}
