import Synchronization

/// One session's way to a turn at the store.
final class StoreTurn: Sendable {
    private enum Progress {
        case none
        case waiting(StoreTurns.Ticket)
        case taken(StoreTurns.Ticket)
        /// Nobody is there to use it.
        case over
    }

    private let turns: StoreTurns
    private let claimant: StoreTurns.Claimant
    private let progress = Mutex(Progress.none)

    init(_ turns: StoreTurns, _ claimant: StoreTurns.Claimant) {
        self.turns = turns
        self.claimant = claimant
    }

    var isTaken: Bool {
        progress.withLock { if case .taken = $0 { true } else { false } }
    }

    /// Waits for the turn; false when the store is busy or the session is over. There must be none
    /// at present.
    func take() async -> Bool {
        let ticket = turns.draw()
        let isOver = progress.withLock { progress -> Bool in
            if case .over = progress { return true }
            progress = .waiting(ticket)
            return false
        }
        guard !isOver else { return false }
        let isGranted = await turns.take(ticket, for: claimant)
        let isKept = progress.withLock { progress -> Bool in
            if case .over = progress { return false }
            progress = isGranted ? .taken(ticket) : .none
            return isGranted
        }
        if isGranted, !isKept { turns.giveBack(ticket) }
        return isKept
    }

    /// Notes that the manifest was accepted.
    func accepted(isTrusted: Bool) {
        let ticket = progress.withLock { progress -> StoreTurns.Ticket? in
            if case .taken(let ticket) = progress { ticket } else { nil }
        }
        if let ticket { turns.note(isTrusted ? .trusted : .accepted, of: ticket) }
    }

    /// Lets the next one in, if this is the session's turn.
    func giveBack() {
        let given = progress.withLock { progress -> StoreTurns.Ticket? in
            guard case .taken(let ticket) = progress else { return nil }
            progress = .none
            return ticket
        }
        if let given { turns.giveBack(given) }
    }

    /// Ends a wait for the turn, and all to come: the link is gone. What waits longer keeps the
    /// link's place from another peer. A turn that was taken stays until it is given back.
    func stopWaiting() {
        let waiting = progress.withLock { progress -> StoreTurns.Ticket? in
            switch progress {
            case .waiting(let ticket):
                progress = .over
                return ticket
            case .none: progress = .over
            case .taken, .over: break
            }
            return nil
        }
        if let waiting { turns.withdraw(waiting) }
    }
}
