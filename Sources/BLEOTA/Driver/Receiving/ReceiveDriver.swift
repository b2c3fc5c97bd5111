import BLEOTACore
import BLEOTAHost
import BLEOTAWire
import Synchronization

/// Drives one ``Receiver``, a state machine, over one link, transfer after transfer.
///
/// Three tasks and a timer share the machine. One task receives datagrams, one sends the machine's
/// frames, and one performs the machine's storage tasks. Neither a slow disk nor a full link can
/// therefore prevent frames from being placed.
final class ReceiveDriver: Sendable {
    private static var farewell: Microseconds { .seconds(1) }
    /// The delay before another check of a deadline that has passed while a send is blocked.
    private static var patience: Microseconds { .milliseconds(10) }
    /// The interval between flushes of written bytes.
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
    private let signer: ReceiptSigner
    private let onEvent: @Sendable (ReceiverEvent.Kind) -> Void

    /// - Parameters:
    ///   - limits: how long sessions may go without progress; `nil` if no other peers wait for the
    ///     store.
    ///   - running: returns the running image, for the answer to a QUERY or a CHALLENGE; called
    ///     whenever one of the two arrives.
    ///   - deviceKey: the key that signs receipts; `nil` if the device signs none.
    /// - Throws: a ``TransferError`` with the code `cannotConnect` if memory for the
    ///   transfer can't be allocated.
    init(
        over link: any Transport,
        scope: ReceiveScope,
        limits: ServiceLimits? = nil,
        silenceLimit: Duration = .seconds(30),
        running: @escaping @Sendable () -> RunningImage = { .unknown },
        deviceKey: SigningKey? = nil,
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
        signer = ReceiptSigner(deviceKey, frameByteCountMax: options.controlByteCountMax)
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

    /// The counters of the machine.
    var statistics: ReceiverStatistics { state.withLock { $0.receiver.statistics } }

    /// The state of the machine.
    var phase: ReceiverPhase { state.withLock { $0.receiver.phase } }

    /// Whether a sender has opened a session that has not ended.
    var hasSession: Bool {
        switch phase {
        case .lookingUp, .judging, .receiving, .verifying: true
        case .idle, .requesting, .finished: false
        }
    }

    /// What the session is waiting for.
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

    /// The chunk size of the latest session, if there was one.
    var chunkSize: ChunkSize? { state.withLock { $0.receiver.chunkSize } }

    /// Requests an object from the peer. Call it before ``run(into:policy:arrived:turn:)``.
    func request(_ nameTag: TransferTag, session: SessionNumber) {
        state.withLock { $0.receiver.request(nameTag, session: session, at: clock.now) }
    }

    /// Receives until the end of the scope. Cancelling the task ends the session with RESULT.
    ///
    /// - Parameters:
    ///   - arrived: datagrams that were already read from the link.
    ///   - turn: the session's turn at the store, taken before the store is used; `nil` if no other
    ///     session uses the store.
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

    /// Passes datagrams to the machine. Returns true if a REQUEST ended the run; the ending then
    /// holds the datagrams after the REQUEST.
    @discardableResult
    private func take(_ datagrams: [Datagram]) -> Bool {
        let now = clock.now
        let isAsked = datagrams.contains {
            $0.channel == .control && ControlOpcode(peeking: $0.bytes.span.bytes) == .query
        }
        let status = isAsked ? running().status : nil
        let challenge = datagrams.lazy.reversed().compactMap(Self.challenge).first
        let (hasRequest, wakesSender, wakesStore) = state.withLock { state -> (Bool, Bool, Bool) in
            if let status { state.receiver.setRunning(status) }
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
        if let challenge {
            // Signing takes longer than a frame may wait for the lock.
            let proof = signer.proof(challenge, of: running())
            state.withLock { $0.proof = proof }
        }
        if wakesSender || challenge != nil { wakeup.call() }
        if wakesStore { storeWakeup.call() }
        return hasRequest
    }

    private static func challenge(in datagram: Datagram) -> SenderControl.Challenge? {
        guard datagram.channel == .control else { return nil }
        return try? SenderControl.Challenge(decoding: datagram.bytes.span.bytes)
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

    /// Ends the session, if there is one, with RESULT. The run continues.
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

    /// Re-arms the timer, because the sending task can't do so while a send is blocked. A deadline
    /// that has passed may stay overdue, so the next check is at least ``patience`` away.
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

    /// Performs the machine's storage tasks until the driver is done, and returns the store's last
    /// error.
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
            // If another full batch is written while a flush is in progress, wait for that flush.
            if let (answer, ticket) = await worker.endFlush(waiting: isFull) {
                self.answer(answer, for: ticket)
            }
            if isFull || clock.now >= dueAt {
                let ticket = state.withLock { $0.receiver.ticket }
                worker.beginFlush(for: ticket, then: storeWakeup)
                synchronizedAt = clock.now
            }
            worker.reportProgress(at: clock.now)
            reportEndings(by: &worker)
            if job == nil {
                storeTimer.arm(at: worker.unsynchronizedByteCount > 0 ? dueAt : nil)
                await storeWakeup.wait()
            }
        }
        reportEndings(by: &worker)
        // Datagrams may still be taken in, and the receiver reads the maps for each of them.
        state.withLock { $0.maps = worker.maps }
        // If the link was lost during a session, release the transfer so that the next session can
        // resume it.
        _ = await worker.perform(.release(discarding: false), bytes: [])
        return worker.error
    }

    private func reportEndings(by worker: inout StoreWorker) {
        let endings = state.withLock { $0.takeUntold() }
        for ending in endings where ending.reason != .verified { worker.reportEnding(ending) }
    }

    private func answer(_ answer: StorageAnswer, for ticket: StorageTicket) {
        let now = clock.now
        let wakesSender = state.withLock { state in
            state.receiver.handle(answer, for: ticket, at: now)
            if case .rejected = answer { state.dropWrites(for: ticket) }
            state.drain(scope)
            state.endIfStalled(at: now, scope)
            return state.mustWakeSender(at: now, farewell: Self.farewell)
        }
        if wakesSender { wakeup.call() }
    }
}
