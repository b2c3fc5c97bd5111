import BLEOTACore

/// The sending side of a ``FaultyTransport``, with the datagrams that it holds back.
///
/// The wrapped link allows one sending task. Here, two tasks send: the caller and the *releaser*.
/// The releaser exists only while a datagram is held back, and sends that datagram if it is not
/// overtaken in time. The two tasks take turns.
///
/// The class is not generic, although the transport is: public generic code runs unspecialized in
/// other modules. Here, that cost ten microseconds per datagram.
final class FaultInjector: Sendable {
    private struct HeldDatagram {
        let number: Int
        let channel: Datagram.Channel
        let bytes: [UInt8]
        var overtakersLeft: Int
        let due: ContinuousClock.Instant
    }

    private struct State {
        /// Whether a task has the turn.
        var isBusy = false
        var dice: FaultDice
        var counts = FaultCounts()
        /// The held datagrams in the order in which they were held back, so the first is due
        /// first.
        var held: [HeldDatagram] = []
        var hasReleaser = false
        var stallsEndedCount = 0
        /// Set before the wrapped link is closed, because held datagrams are sent in between.
        var closeReason: CloseReason?
    }

    let base: any Transport

    private let plan: FaultPlan
    private let state: Monitor<State>

    /// How long a datagram is held back if no later datagram overtakes it.
    private static let holdTime: Duration = .milliseconds(5)
    /// How long a close waits for held datagrams for which the wrapped link has no room. A busy
    /// machine needs much less time to send them if there is room.
    private static let closeTime: Duration = .milliseconds(500)

    init(_ base: any Transport, _ plan: FaultPlan) {
        self.base = base
        self.plan = plan
        state = Monitor(State(dice: FaultDice(plan)))
    }

    var counts: FaultCounts { state.read { state in state.counts } }

    var closeReason: CloseReason? { state.read { state in state.closeReason } ?? base.closeReason }

    /// Returns the error with this end's own close reason, if this end has one.
    func asToldHere(_ error: TransportError) -> TransportError {
        if case .closed(let reason) = error { return .closed(closeReason ?? reason) }
        return error
    }

    // MARK: Sending

    func send(
        _ bytes: [UInt8],
        on channel: Datagram.Channel,
        _ delivery: Datagram.Delivery
    ) async throws(TransportError) {
        try await takeTurn()
        defer { endTurn() }
        do throws(TransportError) {
            if cutIfDue() { throw .closed(.injected) }
            let decision = decide(bytes, delivery)
            try await carryOut(decision, on: channel, delivery)
            _ = cutIfDue()
        } catch {
            throw asToldHere(error)
        }
    }

    func flush() async throws(TransportError) {
        try await takeTurn()
        defer { endTurn() }
        do throws(TransportError) {
            try await release { _ in true }
            try await base.flush()
        } catch {
            throw asToldHere(error)
        }
    }

    private func decide(_ bytes: [UInt8], _ delivery: Datagram.Delivery) -> FaultDice.Decision {
        state.update { state in
            let decision = state.dice.decide(bytes, delivery)
            state.counts.sent += 1
            state.counts.stalled += decision.isStalled ? 1 : 0
            state.counts.lost += decision.isLost ? 1 : 0
            state.counts.duplicated += decision.isDuplicated ? 1 : 0
            state.counts.heldBack += decision.overtakerCount > 0 ? 1 : 0
            state.counts.truncated += decision.isTruncated ? 1 : 0
            state.counts.corrupted += decision.isCorrupted ? 1 : 0
            return decision
        }
    }

    private func carryOut(
        _ decision: FaultDice.Decision,
        on channel: Datagram.Channel,
        _ delivery: Datagram.Delivery
    ) async throws(TransportError) {
        if decision.isStalled { try await standStill() }
        if decision.isLost { return }
        let isHeldBack = decision.overtakerCount > 0
        if decision.isDuplicated || !isHeldBack {
            try await base.send(decision.bytes, on: channel, delivery)
            noteOvertaking(by: nil)
        }
        if decision.isDuplicated, !isHeldBack {
            try await base.send(decision.bytes, on: channel, delivery)
        }
        try await release { held in held.overtakersLeft <= 0 }
        if isHeldBack { hold(decision, on: channel) }
    }

    private func standStill() async throws(TransportError) {
        let number = state.read { state in state.counts.stalled }
        let timer = Task { [state, duration = plan.stallDuration] in
            try? await Task.sleep(for: duration, clock: .continuous)
            state.update(waking: .sender) { state in
                state.stallsEndedCount = max(state.stallsEndedCount, number)
            }
        }
        defer { timer.cancel() }
        let answer: Void? = try await state.wait(as: .sender) {
            state throws(TransportError) -> Void? in
            if let reason = state.closeReason { throw .closed(reason) }
            return state.stallsEndedCount >= number ? () : nil
        }
        if answer == nil { throw .cancelled }
    }

    // MARK: Holding back

    private func hold(_ decision: FaultDice.Decision, on channel: Datagram.Channel) {
        let needsReleaser = state.update { state in
            state.held.append(
                HeldDatagram(
                    number: state.counts.heldBack,
                    channel: channel,
                    bytes: decision.bytes,
                    overtakersLeft: decision.overtakerCount,
                    due: .now + Self.holdTime
                )
            )
            defer { state.hasReleaser = true }
            return !state.hasReleaser
        }
        if needsReleaser { Task { await runReleaser() } }
    }

    /// Notes that a sent datagram overtook held ones.
    ///
    /// - Parameter number: the number of the held datagram that was sent, which overtook only those
    ///   that were held before it; `nil` for a new datagram, which overtook all.
    private func noteOvertaking(by number: Int?) {
        state.update { state in
            for index in state.held.indices where state.held[index].number < number ?? .max {
                state.held[index].overtakersLeft -= 1
            }
        }
    }

    /// Sends the held datagrams that are due. A datagram stays held until the wrapped link has
    /// accepted it, so a cancelled send loses none.
    private func release(
        where isDue: (HeldDatagram) -> Bool
    ) async throws(TransportError) {
        while let next = state.read({ state in state.held.first(where: isDue) }) {
            try await base.send(next.bytes, on: next.channel, .withoutResponse)
            state.update { state in state.held.removeAll { held in held.number == next.number } }
            noteOvertaking(by: next.number)
        }
    }

    private func runReleaser() async {
        while true {
            switch nextReleaserStep() {
            case .release(let due):
                try? await Task.sleep(until: due, clock: .continuous)
                await releaseOverdue()
            case .close(let reason): return base.close(reason)
            case .stop: return
            }
        }
    }

    private enum ReleaserStep: Sendable {
        case release(at: ContinuousClock.Instant)
        /// The last held datagram was sent. The caller has closed the link meanwhile, so the
        /// releaser closes the wrapped link.
        case close(CloseReason)
        case stop
    }

    /// Decides the releaser's next step, under the lock. As soon as there is no releaser, the next
    /// held datagram starts a new one, and this task must not close the link while the new releaser
    /// uses it.
    private func nextReleaserStep() -> ReleaserStep {
        state.update { state in
            if let first = state.held.first { return .release(at: first.due) }
            state.hasReleaser = false
            return state.closeReason.map { reason in .close(reason) } ?? .stop
        }
    }

    private func releaseOverdue() async {
        // This task is never cancelled, so it always gets the turn.
        _ = await state.wait(as: .receiver) { state in Self.seizeTurn(&state) }
        defer { endTurn() }
        do throws(TransportError) {
            try await release { held in held.due <= .now }
        } catch {
            // The link has ended, so the held datagrams are lost.
            state.update { state in state.held = [] }
        }
    }

    // MARK: Turns

    private static func seizeTurn(_ state: inout State) -> Void? {
        if state.isBusy { return nil }
        state.isBusy = true
        return ()
    }

    private func takeTurn() async throws(TransportError) {
        if Task.isCancelled { throw .cancelled }
        let now: Void? = try state.attempt { state throws(TransportError) -> Void? in
            try Self.takeTurn(&state)
        }
        if now != nil { return }
        let later: Void? = try await state.wait(as: .sender) {
            state throws(TransportError) -> Void? in
            try Self.takeTurn(&state)
        }
        if later == nil { throw .cancelled }
    }

    private static func takeTurn(_ state: inout State) throws(TransportError) -> Void? {
        if let reason = state.closeReason { throw .closed(reason) }
        return seizeTurn(&state)
    }

    private func endTurn() {
        state.update(waking: .both) { state in state.isBusy = false }
    }

    // MARK: Ending

    private func cutIfDue() -> Bool {
        let isDue = state.update { state in
            guard let count = plan.cutAfterDatagrams, state.counts.sent >= count else {
                return false
            }
            state.counts.lost += state.held.count
            state.counts.cut = 1
            state.held = []
            state.closeReason = state.closeReason ?? .injected
            return true
        }
        if isDue { base.close(.injected) }
        return isDue
    }

    func close(_ reason: CloseReason) {
        let (reason, isHolding) = state.update(waking: .both) { state in
            let decided = state.closeReason ?? base.closeReason ?? reason
            state.closeReason = decided
            return (decided, !state.held.isEmpty)
        }
        if !isHolding { return base.close(reason) }
        // The releaser closes the link when it is done. A peer that doesn't read must not delay the
        // close.
        Task {
            try? await Task.sleep(for: Self.closeTime, clock: .continuous)
            base.close(reason)
        }
    }
}
