import BLEOTACore
import BLEOTAHost
import BLEOTAWire
import Synchronization

/// Drives one ``Receiver`` over one link, transfer after transfer.
///
/// Three tasks and a timer share the machine: one takes in what arrives, one sends what the machine
/// wants sent, one does what it asks of the store, so that neither a slow disk nor a full link
/// keeps frames from being placed.
final class ReceiveDriver: Sendable {
    private static var farewell: Microseconds { .seconds(1) }
    /// How often a deadline is looked at that can't be kept while a send waits.
    private static var patience: Microseconds { .milliseconds(10) }
    /// What is written is durable at the latest after this.
    private static var synchronizationPause: Microseconds { .milliseconds(200) }

    private let link: any Transport
    private let scope: ReceiveScope
    private let clock = MonotonicClock.ofProcess
    private let timer: DeadlineTimer
    private let storeTimer: DeadlineTimer
    private let wakeup = AsyncSignal()
    private let storeWakeup = AsyncSignal()
    private let arena: ReceiverArena
    private let state: Mutex<ReceiveState>
    private let running: @Sendable () -> RunningImage
    private let onEvent: @Sendable (ReceiverEvent.Kind) -> Void

    /// - Parameters:
    ///   - limits: how long sessions may get no further, where other peers wait for the store.
    ///   - running: what QUERY is answered with, asked each time.
    /// - Throws: `cannotConnect` where there is no memory for it.
    init(
        over link: any Transport,
        scope: ReceiveScope,
        limits: ServiceLimits? = nil,
        silenceLimit: Duration = .seconds(30),
        running: @escaping @Sendable () -> RunningImage = { .unknown },
        onEvent: @escaping @Sendable (ReceiverEvent.Kind) -> Void
    ) throws(TransferError) {
        let arena = try ReceiverArena()
        self.link = link
        self.scope = scope
        self.running = running
        self.onEvent = onEvent
        timer = DeadlineTimer(clock: clock)
        storeTimer = DeadlineTimer(clock: clock)
        self.arena = arena
        var options = ReceiverOptions()
        options.controlByteCountMax = min(
            link.limits.controlByteCountMax,
            ReceiverControl.byteCountMax
        )
        options.creditCountMax = min(link.limits.unreadCountMax, Credit.chunkCountMax)
        options.silenceLimit = Microseconds(MonotonicClock.microseconds(silenceLimit))
        options.firstEpoch = Epoch(.random(in: .min ... .max))
        let progress = limits.map { limits in
            ReceiverProgress(
                newsLimit: Microseconds(MonotonicClock.microseconds(limits.progressLimit)),
                furtherLimit: Microseconds(MonotonicClock.microseconds(limits.repetitionLimit)),
                at: MonotonicClock.ofProcess.now
            )
        }
        state = Mutex(
            ReceiveState(
                receiver: Receiver(options: options, memory: arena.memory),
                progress: progress
            )
        )
    }

    /// What the machine has counted.
    var statistics: ReceiverStatistics { state.withLock { $0.receiver.statistics } }

    /// The state of the machine.
    var phase: ReceiverPhase { state.withLock { $0.receiver.phase } }

    /// What the session waits for.
    var standing: SessionStanding {
        state.withLock { state in
            switch state.receiver.phase {
            case .idle, .finished: .none
            case .lookingUp, .judging, .verifying: .working
            case .requesting: .waiting(byteCount: 0)
            case .receiving:
                if state.isStoreAtWork || !state.jobs.isEmpty {
                    .storing
                } else {
                    .waiting(
                        byteCount: Int(state.receiver.statistics.dataFramesPlaced)
                            * (state.receiver.chunkSize?.byteCount ?? 0)
                    )
                }
            }
        }
    }

    /// The chunk size of the last session, if there was one.
    var chunkSize: ChunkSize? { state.withLock { $0.receiver.chunkSize } }

    /// Asks the peer for an object; before ``run(into:policy:arrived:)``.
    func request(_ nameTag: TransferTag, session: SessionNumber) {
        state.withLock { $0.receiver.request(nameTag, session: session, at: clock.now) }
    }

    /// Receives until the scope is at its end; a cancelled task ends it with RESULT.
    ///
    /// - Parameter turn: to be taken before the store is used, where others want it too.
    func run(
        into store: any ImageStore,
        policy: AcceptancePolicy,
        arrived: [Datagram] = [],
        turn: StoreTurn? = nil
    ) async -> ReceiveEnding {
        timer.onFire { [weak self] in self?.deadlinePassed() }
        storeTimer.onFire { [weak self] in self?.storeWakeup.call() }
        take(arrived)
        let job = Task { await self.drive(into: store, policy: policy, turn) }
        return await withTaskCancellationHandler {
            await job.value
        } onCancel: {
            giveUp(because: .cancelled)
        }
    }

    private func drive(
        into store: any ImageStore,
        policy: AcceptancePolicy,
        _ turn: StoreTurn?
    ) async -> ReceiveEnding {
        let error = await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.takeIn() }
            async let storing = self.store(into: store, policy: policy, turn)
            await self.sendOut()
            group.cancelAll()
            turn?.stopWaiting()
            storeWakeup.call()
            return await storing
        }
        timer.stop()
        storeTimer.stop()
        return state.withLock { state in
            switch state.ending {
            case .session(let ending, _): .session(ending, error)
            case .link(let linkError, _): .link(linkError, error)
            case .requested(let request, let rest): .requested(request, rest: rest)
            case nil: preconditionFailure("the driver ended without a reason")
            }
        }
    }

    // MARK: - In

    private func takeIn() async {
        while true {
            do {
                if take(try await link.receive()) { return }
            } catch {
                end(.link(error, nil))
                return
            }
        }
    }

    /// Takes datagrams in; true if the rest of them is for somebody else.
    @discardableResult
    private func take(_ datagrams: [Datagram]) -> Bool {
        let now = clock.now
        let isAsked = datagrams.contains {
            $0.channel == .control && ControlOpcode(peeking: $0.bytes.span.bytes) == .query
        }
        let running = isAsked ? running() : nil
        let (hasRequest, wakesSender, wakesStore) = state.withLock { state -> (Bool, Bool, Bool) in
            if let running { state.receiver.setRunning(running.status) }
            for (index, datagram) in datagrams.enumerated() {
                let bytes = datagram.bytes.span.bytes
                switch datagram.channel {
                case .data: state.receiver.receive(data: bytes, at: now)
                case .control:
                    if let request = Self.request(in: bytes), state.receiver.phase == .idle {
                        state.setEnding(
                            .requested(request, rest: Array(datagrams[(index + 1)...]))
                        )
                        return (true, true, true)
                    }
                    state.receiver.receive(control: bytes, at: now)
                }
                state.drain(scope)
            }
            state.endIfStalled(at: now, scope)
            let wakesSender = state.mustWakeSender(at: now, farewell: Self.farewell)
            return (false, wakesSender, state.mustWakeStore)
        }
        if wakesSender { wakeup.call() }
        if wakesStore { storeWakeup.call() }
        return hasRequest
    }

    static func request(in bytes: RawSpan) -> ReceiverControl.Request? {
        guard ControlOpcode(peeking: bytes) == .request,
            case .request(let request)? = try? ReceiverControl(decoding: bytes, session: .none)
        else { return nil }
        return request
    }

    private func end(_ ending: ReceiveEnding) {
        state.withLock { $0.setEnding(ending) }
        wakeup.call()
    }

    private func deadlinePassed() {
        let now = clock.now
        let isOverdue = state.withLock { state -> Bool in
            state.receiver.handleTimeout(at: now)
            state.drain(scope)
            state.endIfStalled(at: now, scope)
            guard let endedAt = state.endedAt(at: now), !state.isDone else { return false }
            return now >= endedAt + Self.farewell
        }
        if isOverdue {
            link.close(.local)
        } else {
            armAlarm(after: now)
        }
        wakeup.call()
        storeWakeup.call()
    }

    /// Ends the session with RESULT, if there is one. The link stays.
    func endSession(because reason: Reason) {
        let now = clock.now
        state.withLock { state in
            state.receiver.abort(reason, at: now)
            state.drain(scope)
        }
        wakeup.call()
        storeWakeup.call()
    }

    /// Ends the session with RESULT, and then the run.
    func giveUp(because reason: Reason) {
        let now = clock.now
        state.withLock { $0.giveUp(because: reason, at: now, scope) }
        armAlarm(after: now)
        wakeup.call()
        storeWakeup.call()
    }

    /// Watches the deadlines while a send waits: then nobody else sets the timer again, and what is
    /// due now may stay due.
    private func armAlarm(after now: Instant) {
        let deadline = state.withLock { state in
            state.isDone ? nil : state.deadline(farewell: Self.farewell)
        }
        timer.arm(at: deadline.map { max($0, now + Self.patience) })
    }

    // MARK: - Out

    private func sendOut() async {
        while true {
            let now = clock.now
            let (next, isOver, deadline, wakesStore) = state.withLock {
                state -> ([UInt8]?, Bool, Instant?, Bool) in
                state.receiver.handleTimeout(at: now)
                state.drain(scope)
                state.endIfStalled(at: now, scope)
                let (next, deadline) = state.nextDatagram(at: now, farewell: Self.farewell)
                return (next, state.isOver, deadline, state.mustWakeStore)
            }
            timer.arm(at: deadline)
            if wakesStore { storeWakeup.call() }
            do throws(TransportError) {
                if let next {
                    try await link.send(next, on: .control, .withResponse)
                } else if isOver {
                    break
                } else {
                    await wakeup.wait()
                }
            } catch {
                end(.link(error, nil))
            }
        }
        state.withLock { $0.isDone = true }
    }

    // MARK: - Store

    /// Does the store's jobs until the driver is done; returns the store's last error.
    private func store(
        into store: any ImageStore,
        policy: AcceptancePolicy,
        _ turn: StoreTurn?
    ) async -> StoreError? {
        var worker = StoreWorker(store, policy: policy, turn: turn, onEvent: onEvent)
        var synchronizedAt = clock.now
        while true {
            let (job, isDone) = state.withLock { state -> (ReceiveState.Job?, Bool) in
                state.isStoreAtWork = !state.jobs.isEmpty
                return (state.takeJob(), state.isDone)
            }
            if let job {
                let answer = await worker.perform(job.task, bytes: job.bytes)
                if let answer { self.answer(answer, for: job.ticket) }
            } else if isDone {
                break
            }
            let isFull =
                worker.unsynchronizedByteCount >= StoreWorker.unsynchronizedByteCountMax
            let dueAt = synchronizedAt + Self.synchronizationPause
            // Whoever writes twice as much as may be lost while the disk is busy waits for it.
            if let (answer, ticket) = await worker.endFlush(waiting: isFull) {
                self.answer(answer, for: ticket)
            }
            if isFull || clock.now >= dueAt {
                let ticket = state.withLock { $0.receiver.ticket }
                worker.beginFlush(for: ticket, then: storeWakeup)
                synchronizedAt = clock.now
            }
            worker.reportProgress(at: clock.now)
            tellEndings(worker.error)
            if job == nil {
                storeTimer.arm(at: worker.unsynchronizedByteCount > 0 ? dueAt : nil)
                await storeWakeup.wait()
            }
        }
        tellEndings(worker.error)
        // The link may be gone with a session open: let the store rest, so that the next can go on.
        _ = await worker.perform(.release(discarding: false), bytes: [])
        return worker.error
    }

    private func tellEndings(_ error: StoreError?) {
        let endings = state.withLock { $0.takeUntold() }
        for ending in endings where ending.reason != .verified {
            onEvent(.ended(TransferError(sessionEndedBy: ending, error)))
        }
    }

    private func answer(_ answer: StorageAnswer, for ticket: StorageTicket) {
        let now = clock.now
        state.withLock { state in
            state.receiver.handle(answer, for: ticket, at: now)
            if case .rejected = answer { state.dropWrites(for: ticket) }
            state.drain(scope)
            state.endIfStalled(at: now, scope)
        }
        wakeup.call()
    }
}
