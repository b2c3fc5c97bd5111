import BLEOTACore
import BLEOTAHost
import Synchronization

/// Grants turns at a store that several sessions need but only one at a time can use.
///
/// The turn goes to the process whose last turn was longest ago. While other processes wait, a
/// session makes way if its peer sends too little, or once the session has used up its share
/// (``ServiceLimits/patience``). The durable part of its transfer stays, and the transfer resumes
/// in a later turn. A peer can therefore delay another process by at most one share, whatever it
/// sends and however many sessions it opens.
final class StoreTurns: Sendable {
    /// A session that competes for the store.
    struct Claimant: Sendable {
        /// The peer's process; `nil` if it is unknown.
        let process: Int32?
        let standing: @Sendable () -> SessionStanding
        /// Ends the session, so that it gives its turn back.
        let makeWay: @Sendable () -> Void
    }

    /// Identifies one turn.
    struct Ticket: Hashable, Sendable {
        fileprivate let number: UInt64
    }

    private struct Waiter {
        let ticket: Ticket
        let claimant: Claimant
        let continuation: CheckedContinuation<Bool, Never>
        let end: ContinuousClock.Instant
    }

    /// The knowledge about the image of a session.
    enum Standing: Sendable {
        /// The manifest has not been accepted yet.
        case unknown
        /// The manifest was accepted without a trusted signature, so anyone could have created it.
        case accepted
        /// A trusted key has signed the manifest.
        case trusted
    }

    private struct Holder {
        let ticket: Ticket
        let claimant: Claimant
        var standing = Standing.unknown
        /// How long the session had received while others waited, as of the last check.
        var shareUsed = Duration.zero
        var lookedAt: ContinuousClock.Instant?
        /// The start of the time in which the peer has sent fewer than ``byteCountMin`` new
        /// bytes.
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
        /// The waiting sessions in order of arrival.
        var waiters: [Waiter] = []
        /// The number of each process's last turn.
        var lastTurns: [Int32: UInt64] = [:]
        var isWatched = false
    }

    /// A peer that sends fewer new bytes than this within the patience is slow.
    private static let byteCountMin = 4_096
    /// The interval at which the holder is checked while others wait.
    private static let pause: Duration = .milliseconds(20)
    /// The shortest patience, however many processes wait: enough time for a peer to send its
    /// first frames.
    private static let patienceMin: Duration = .milliseconds(50)
    /// The shortest share, however many processes wait: enough time for a lookup, a manifest and
    /// some blocks.
    private static let shareMin: Duration = .milliseconds(200)
    /// The shortest default of the wait limit. Even if 20 other processes use a share of
    /// ``shareMin`` first, a turn comes within this time.
    private static let waitLimitMin: Duration = .seconds(5)
    /// The maximum number of processes whose last turn is remembered. Once this many are
    /// remembered, all of them are forgotten.
    private static let processCountMax = 1_024

    private let patience: Duration
    private let waitLimit: Duration
    private let state = Mutex(State())

    /// - Parameters:
    ///   - patience: see ``ServiceLimits/patience``.
    ///   - waitLimit: how long a session may wait before it is refused as *busy* and loses its
    ///     place. Default: twice the patience, at least 5 s.
    init(patience: Duration, waitLimit: Duration? = nil) {
        self.patience = patience
        self.waitLimit = waitLimit ?? max(patience * 2, Self.waitLimitMin)
    }

    /// The number of sessions that wait for their turn.
    var waiterCount: Int { state.withLock { $0.waiters.count } }

    /// Issues a ticket for a turn.
    func draw() -> Ticket {
        state.withLock { state in
            state.lastNumber += 1
            return Ticket(number: state.lastNumber)
        }
    }

    /// Waits for the turn, but no longer than the wait limit.
    ///
    /// - Returns: whether the ticket has the turn; false if another session keeps the store for too
    ///   long, or after ``withdraw(_:)``.
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

    /// Ends the wait for a ticket's turn, if there is one.
    func withdraw(_ ticket: Ticket) {
        let waiter = state.withLock { state -> Waiter? in
            let index = state.waiters.firstIndex { $0.ticket == ticket }
            return index.map { state.waiters.remove(at: $0) }
        }
        waiter?.continuation.resume(returning: false)
    }

    /// Records the knowledge about the image of the session that has the turn.
    func note(_ standing: Standing, of ticket: Ticket) {
        state.withLock { state in
            if state.holder?.ticket == ticket { state.holder?.standing = standing }
        }
    }

    /// Ends a turn, and grants the next. Does nothing if the turn is already over.
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

    /// Checks the holder at intervals for as long as other sessions wait.
    private func watch() async {
        while true {
            try? await Task.sleep(for: Self.pause)
            let (holder, late, isOver) = state.withLock { state -> (Claimant?, [Waiter], Bool) in
                let now = ContinuousClock.now
                let late = state.waiters.filter { $0.end <= now }
                state.waiters.removeAll { $0.end <= now }
                if state.waiters.isEmpty {
                    state.isWatched = false
                    state.holder?.lookedAt = nil
                    return (nil, late, true)
                }
                return (holderToMakeWay(&state, at: now), late, false)
            }
            holder?.makeWay()
            for waiter in late { waiter.continuation.resume(returning: false) }
            if isOver { return }
        }
    }

    /// Returns the holder if it must make way and has not been asked to yet.
    private func holderToMakeWay(
        _ state: inout State,
        at now: ContinuousClock.Instant
    ) -> Claimant? {
        guard var holder = state.holder, !holder.isAsked else { return nil }
        defer { state.holder = holder }
        let processCount = Set(state.waiters.map { $0.claimant.process ?? -1 }).count
        let elapsed = holder.lookedAt.map { now - $0 } ?? .zero
        holder.lookedAt = now
        switch holder.claimant.standing() {
        case .none, .working:
            (holder.slowSince, holder.byteCount) = (now, nil)
            return nil
        case .storing:
            (holder.slowSince, holder.byteCount) = (now, nil)
        case .waiting(let byteCount):
            if byteCount - (holder.byteCount ?? byteCount) >= Self.byteCountMin {
                (holder.slowSince, holder.byteCount) = (now, byteCount)
            }
            if holder.byteCount == nil { holder.byteCount = byteCount }
        }
        holder.shareUsed += elapsed
        // If many processes wait, the patience divided by their number is too short for a slow peer
        // to send a block.
        let patience =
            holder.standing == .unknown
            ? max(self.patience / processCount, min(self.patience, Self.patienceMin))
            : self.patience
        guard
            now - holder.slowSince >= patience
                || holder.shareUsed >= share(of: holder, among: processCount)
        else { return nil }
        holder.isAsked = true
        return holder.claimant
    }

    /// How long the holder may receive while others wait. A peer without a process may need seconds
    /// to establish another link. With shares as short as those of a process, its image would never
    /// arrive.
    private func share(of holder: Holder, among processCount: Int) -> Duration {
        switch holder.standing {
        case .unknown: max(patience / processCount, min(patience, Self.shareMin))
        case .accepted: holder.claimant.process == nil ? patience * 4 : patience
        case .trusted: patience * 20
        }
    }
}
