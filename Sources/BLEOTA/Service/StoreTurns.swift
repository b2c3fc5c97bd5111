import BLEOTACore
import BLEOTAHost
import Synchronization

/// Whose turn it is at a store that several sessions want and one at a time can have.
///
/// The turn goes to the process that has had it least recently. A session that somebody waits for
/// makes way when its peer brings too little, or when it has had its share
/// (``ServiceLimits/patience``); what is durable stays, and it goes on in its next turn. So another
/// process waits for the patience, once, whatever a peer brings and however many sessions it opens.
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

    /// What is known of the image that a session brings.
    enum Standing: Sendable {
        /// Its manifest was not accepted yet.
        case unknown
        /// Anybody could bring it.
        case accepted
        /// A trusted key has signed it.
        case trusted
    }

    private struct Holder {
        let ticket: Ticket
        let claimant: Claimant
        var standing = Standing.unknown
        /// For how long it has received while somebody waited, until it was looked at last.
        var shareUsed = Duration.zero
        var lookedAt: ContinuousClock.Instant?
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
    /// However many wait, a session gets as long for a look-up, a manifest and some blocks.
    private static let shareMin: Duration = .milliseconds(200)
    /// With a turn for each process that waits, one of twenty such shares still comes in time.
    private static let waitLimitMin: Duration = .seconds(5)
    /// Processes whose last turn is known; then all begin anew.
    private static let processCountMax = 1_024

    private let patience: Duration
    private let waitLimit: Duration
    private let state = Mutex(State())

    /// - Parameters:
    ///   - patience: see ``ServiceLimits/patience``.
    ///   - waitLimit: a session that waits longer is told that the receiver is busy, and loses its
    ///     place; by default twice the patience, and 5 s at least.
    init(patience: Duration, waitLimit: Duration? = nil) {
        self.patience = patience
        self.waitLimit = waitLimit ?? max(patience * 2, Self.waitLimitMin)
    }

    /// How many wait for their turn.
    var waiterCount: Int { state.withLock { $0.waiters.count } }

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

    /// Notes what the session with the turn brings.
    func note(_ standing: Standing, of ticket: Ticket) {
        state.withLock { state in
            if state.holder?.ticket == ticket { state.holder?.standing = standing }
        }
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

    /// The holder, if it has to make way and does not know yet.
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
        // Where many wait, a part of the patience is too short for a slow peer to bring a block.
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

    /// How long the holder may receive while others wait. Where its peer is not known, another link
    /// may take seconds to make, and an image in shares as short as those of processes for ever.
    private func share(of holder: Holder, among processCount: Int) -> Duration {
        switch holder.standing {
        case .unknown: max(patience / processCount, min(patience, Self.shareMin))
        case .accepted: holder.claimant.process == nil ? patience * 4 : patience
        case .trusted: patience * 20
        }
    }
}
