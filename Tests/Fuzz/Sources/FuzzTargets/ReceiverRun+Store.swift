import BLEOTACore
import BLEOTAHost
import BLEOTAWire

/// The store of a receiver's run, and its application.
extension ReceiverRun {
    func answerNext() throws(BrokenProperty) {
        guard let (answer, ticket) = store.nextAnswer(in: machine.phase, machine.ticket, &input)
        else { return }
        let before = machine.phase
        let isStale = ticket != machine.ticket
        if !isStale, answer.beginsAnew { ledger.expire() }
        try enter { $0.handle(answer, for: ticket, at: now) }
        try require(!isStale || machine.phase == before, "a stale answer changes the phase")
        try store.checkMap()
    }

    /// More is durable, or an answer comes to a task of an earlier session.
    func answerUnasked() throws(BrokenProperty) {
        if input.flag(), let stale = store.staleTicket(machine.ticket) {
            let before = machine.phase
            let answers: [StorageAnswer] = [
                .stored(block: 0), .rejected(block: input.choice(8)), .lookUpAgain,
                .published(digestPrefix: 1), .durable(byteCount: .max),
                .refused(.storeFailed, detail: 0),
            ]
            let answer = answers[input.choice(answers.count)]
            try enter { $0.handle(answer, for: stale, at: now) }
            try require(machine.phase == before, "a stale answer changes the phase")
        } else if let byteCount = store.nextDurable(&input), case .receiving = machine.phase {
            let ticket = machine.ticket
            try enter { $0.handle(.durable(byteCount: byteCount), for: ticket, at: now) }
        }
    }

    func command() throws(BrokenProperty) {
        switch input.byte() {
        case 0xFF:
            let before = machine.phase
            try enter { $0.abort(.cancelled, at: now) }
            switch before {
            case .idle, .finished: try require(machine.phase == before, "nothing to give up")
            case .requesting: try require(machine.phase == .idle, "still in \(machine.phase)")
            default:
                try require(
                    machine.phase == .finished(.cancelled),
                    "still in \(machine.phase)"
                )
            }
        case let byte:
            let before = machine.phase
            let requested = SessionNumber(session.rawValue &+ UInt16(byte & 3))
            try enter { $0.request(TransferTag(rawValue: 1), session: requested, at: now) }
            try require(
                machine.phase == (before == .idle ? .requesting : before),
                "a request in \(before) leads to \(machine.phase)"
            )
        }
    }
}

extension StorageAnswer {
    /// Whether the receiver answers it with a new epoch, or lets go of the object.
    fileprivate var beginsAnew: Bool {
        switch self {
        case .planned, .manifestMismatch, .rejected, .lookUpAgain, .refused: true
        case .alreadyCurrent, .published, .stored, .durable: false
        }
    }
}
