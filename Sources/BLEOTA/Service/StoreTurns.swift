import Synchronization

/// Whose turn it is at a store that several sessions want and one at a time can have.
///
/// The turn goes to the process that has had it least recently. A session keeps it while more
/// arrives, and makes way for the next when its peer brings too little
/// (``ServiceLimits/patience``). So a peer that opens sessions and then does nothing delays
/// another process by the patience, once, however many sessions it opens.
final class StoreTurns: Sendable {
    /// A session that wants the store.
    struct Claimant: Sendable {
        /// Whose it is; `nil` for a process of its own.
        let process: Int32?
        let standing: @Sendable () -> SessionStanding
        /// Ends the session, so that it gives the turn back.
        let makeWay: @Sendable () -> Void
    }

    /// Names one turn.
    struct Ticket: Hashable, Sendable {
        fileprivate let number: UInt64
    }

    private struct Waiter {
        let ticket: Ticket
        let claimant: Claimant
        let continuation: CheckedContinuation<Bool, Never>
        let end: ContinuousClock.Instant
    }

    private struct Holder {
        let ticket: Ticket
        let claimant: Claimant
        /// Since when its peer has brought less than ``byteCountMin``.
        var slowSince = ContinuousClock.now
        var byteCount: Int?
        var isAsked = false

        init(_ ticket: Ticket, _ claimant: Claimant) {
            self.ticket = ticket
            self.claimant = claimant
        }
    }

    private struct State {
        var lastNumber: UInt64 = 0
        var holder: Holder?
        /// In the order in which they came.
        var waiters: [Waiter] = []
        /// The last turn of each process.
        var lastTurns: [Int32: UInt64] = [:]
        var isWatched = false
    }

    /// The smallest block of an object; what is slower than one block in a while is slow.
    private static let byteCountMin = 4_096
    /// How often a holder is looked at while somebody waits.
    private static let pause: Duration = .milliseconds(20)
    /// However many wait, a peer gets as long to send its first frames.
    private static let patienceMin: Duration = .milliseconds(50)
    /// Processes whose last turn is known; then all begin anew.
    private static let processCountMax = 1_024

    private let patience: Duration
    private let waitLimit: Duration
    private let state = Mutex(State())

    /// - Parameter patience: see ``ServiceLimits/patience``.
    init(patience: Duration) {
        self.patience = patience
        // Who waits longer than two peers' patience is told that the receiver is busy.
        waitLimit = patience * 2
    }

    /// A ticket to wait with.
    func draw() -> Ticket {
        state.withLock { state in
            state.lastNumber += 1
            return Ticket(number: state.lastNumber)
        }
    }

    /// Waits for the turn, for a limited time.
    ///
    /// - Returns: whether it is the ticket's turn; false when another session keeps the store, and
    ///   brings enough, or after ``withdraw(_:)``.
    func take(_ ticket: Ticket, for claimant: Claimant) async -> Bool {
        await withCheckedContinuation { continuation in
            let (isFree, mustWatch) = state.withLock { state -> (Bool, Bool) in
                if state.holder == nil {
                    Self.grant(ticket, claimant, &state)
                    return (true, false)
                }
                state.waiters.append(
                    Waiter(
                        ticket: ticket,
                        claimant: claimant,
                        continuation: continuation,
                        end: .now + waitLimit
                    )
                )
                defer { state.isWatched = true }
                return (false, !state.isWatched)
            }
            if isFree { continuation.resume(returning: true) }
            if mustWatch { Task { await watch() } }
        }
    }

    /// Ends the wait with a ticket, if there is one.
    func withdraw(_ ticket: Ticket) {
        let waiter = state.withLock { state -> Waiter? in
            let index = state.waiters.firstIndex { $0.ticket == ticket }
            return index.map { state.waiters.remove(at: $0) }
        }
        waiter?.continuation.resume(returning: false)
    }

    /// Gives a turn back; the next may begin. A turn that is over already stays over.
    func giveBack(_ ticket: Ticket) {
        let next = state.withLock { state -> Waiter? in
            guard state.holder?.ticket == ticket else { return nil }
            state.holder = nil
            return Self.grantNext(&state)
        }
        next?.continuation.resume(returning: true)
    }

    private static func grant(_ ticket: Ticket, _ claimant: Claimant, _ state: inout State) {
        state.holder = Holder(ticket, claimant)
        guard let process = claimant.process else { return }
        if state.lastTurns.count >= processCountMax { state.lastTurns.removeAll() }
        state.lastTurns[process] = state.lastNumber
    }

    private static func grantNext(_ state: inout State) -> Waiter? {
        let turns = state.waiters.map { waiter in
            waiter.claimant.process.flatMap { state.lastTurns[$0] } ?? 0
        }
        guard let index = turns.indices.min(by: { (turns[$0], $0) < (turns[$1], $1) }) else {
            return nil
        }
        let waiter = state.waiters.remove(at: index)
        state.lastNumber += 1
        grant(waiter.ticket, waiter.claimant, &state)
        return waiter
    }

    /// Looks at the holder as long as somebody waits.
    private func watch() async {
        while true {
            try? await Task.sleep(for: Self.pause)
            let (slow, late, isOver) = state.withLock { state -> (Claimant?, [Waiter], Bool) in
                let now = ContinuousClock.now
                let late = state.waiters.filter { $0.end <= now }
                state.waiters.removeAll { $0.end <= now }
                if state.waiters.isEmpty {
                    state.isWatched = false
                    return (nil, late, true)
                }
                return (slowHolder(&state, at: now), late, false)
            }
            slow?.makeWay()
            for waiter in late { waiter.continuation.resume(returning: false) }
            if isOver { return }
        }
    }

    /// The holder, if it has to make way and does not know yet.
    private func slowHolder(
        _ state: inout State,
        at now: ContinuousClock.Instant
    ) -> Claimant? {
        guard var holder = state.holder, !holder.isAsked else { return nil }
        defer { state.holder = holder }
        guard case .waiting(let byteCount) = holder.claimant.standing() else {
            (holder.slowSince, holder.byteCount) = (now, nil)
            return nil
        }
        if byteCount - (holder.byteCount ?? byteCount) >= Self.byteCountMin {
            (holder.slowSince, holder.byteCount) = (now, byteCount)
        }
        if holder.byteCount == nil { holder.byteCount = byteCount }
        let processCount = Set(state.waiters.map { $0.claimant.process ?? -1 }).count
        let patience = max(self.patience / processCount, min(self.patience, Self.patienceMin))
        guard now - holder.slowSince >= patience else { return nil }
        holder.isAsked = true
        return holder.claimant
    }
}
