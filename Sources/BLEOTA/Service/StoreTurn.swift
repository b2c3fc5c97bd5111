import Synchronization

/// One session's claim to a turn at the store.
final class StoreTurn: Sendable {
    private enum Progress {
        case none
        case waiting(StoreTurns.Ticket)
        case taken(StoreTurns.Ticket)
        /// The link is gone, so the session takes no more turns.
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

    /// Waits for the turn. Returns false if the store stays busy or the session is over. The
    /// session must not already have a turn.
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

    /// Notes that the session's manifest was accepted.
    func accepted(isTrusted: Bool) {
        let ticket = progress.withLock { progress -> StoreTurns.Ticket? in
            if case .taken(let ticket) = progress { ticket } else { nil }
        }
        if let ticket { turns.note(isTrusted ? .trusted : .accepted, of: ticket) }
    }

    /// Ends the session's turn, if it has one, and lets the next session in.
    func giveBack() {
        let given = progress.withLock { progress -> StoreTurns.Ticket? in
            guard case .taken(let ticket) = progress else { return nil }
            progress = .none
            return ticket
        }
        if let given { turns.giveBack(given) }
    }

    /// Ends a wait for the turn, and refuses later waits, because the link is gone. A link that
    /// kept waiting would keep its place in the service, which another peer may need. A turn
    /// that was taken lasts until it is given back.
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
