import BLEOTACore
import BLEOTAWire
import Synchronization

/// Drives one ``Sender``, a state machine, over one link until its session has ended.
///
/// Two tasks and a timer share the machine. One task receives datagrams and the other sends the
/// machine's frames, so ACKs are processed even while a send waits for room. The timer watches the
/// deadlines even while both tasks wait. If the peer no longer reads, closing the link is the last
/// resort: it releases a blocked send.
final class SendDriver: Sendable {
    private struct State: ~Copyable {
        var sender: Sender
        var measuring: Measuring?
        var linkError: TransportError?
        var sourceError: FirmwareError?
        var endedAt: Instant?
        /// The total length of all data frames handed to the link.
        var dataByteCount = 0
        var nextRequest: [Datagram] = []
        var isDone = false
    }

    /// While a send is blocked, a deadline that has passed is checked again after this delay.
    private static var patience: Microseconds { .milliseconds(10) }

    private let link: any Transport
    /// The link, if it keeps a window of unacknowledged bytes.
    private let windowed: (any WindowedTransport)?
    private let variant: ImageVariant
    private let delivery: Datagram.Delivery
    /// The session number of the REQUEST that this session answers; `nil` if it answers none.
    private let answered: SessionNumber?
    /// The reason in CLOSE if the task is cancelled.
    private let cancellation: Reason
    /// How long the last CLOSE may take before the driver closes the link.
    private let farewell: Microseconds
    private let clock = MonotonicClock.ofProcess
    private let timer: DeadlineTimer
    private let wakeup = AsyncSignal()
    private let memory: SenderMemory
    private let state: Mutex<State>

    /// - Parameters:
    ///   - isAnswer: whether the session answers a REQUEST. If so, another REQUEST ends the
    ///     session.
    ///   - measuring: the measurement, if the transfer is to be measured and withdrawn; otherwise
    ///     `nil`.
    ///   - attMTUMax: the largest ATT_MTU to make frames for.
    init(
        _ variant: ImageVariant,
        over link: any Transport,
        session: SessionNumber,
        isAnswer: Bool = false,
        options: PushOptions,
        measuring: Measuring? = nil,
        attMTUMax: Int = 517
    ) {
        self.link = link
        windowed = link as? any WindowedTransport
        self.variant = variant
        delivery = options.delivery
        answered = isAnswer ? session : nil
        cancellation = measuring == nil ? .cancelled : .withdrawn
        // Without CLOSE the receiver would keep the withdrawn part. On a slow link, CLOSE may have
        // to wait for a long time.
        farewell =
            measuring == nil
            ? .seconds(1) : Microseconds(MonotonicClock.microseconds(options.silenceLimit))
        timer = DeadlineTimer(clock: clock)
        let memory = SenderMemory()
        self.memory = memory
        var senderOptions = SenderOptions()
        senderOptions.window = options.window.policy
        senderOptions.isLinkOrdered = link.limits.isOrdered
        senderOptions.silenceLimit = Microseconds(MonotonicClock.microseconds(options.silenceLimit))
        senderOptions.progressLimit = Microseconds(
            MonotonicClock.microseconds(options.progressLimit)
        )
        senderOptions.busyLimit = Microseconds(MonotonicClock.microseconds(options.busyLimit))
        state = Mutex(
            State(
                sender: Sender(
                    transfer: variant.offer,
                    session: session,
                    frameByteCountMax: min(link.limits.dataByteCountMax, attMTUMax - 3),
                    options: senderOptions,
                    memory: memory.chunks,
                    at: clock.now
                ),
                measuring: measuring
            )
        )
    }

    /// Sends until the session has ended. Cancelling the task ends the session with CLOSE.
    ///
    /// - Parameter arrived: control datagrams that were already read from the link.
    func run(
        arrived: [Datagram] = [],
        onProgress: @escaping @Sendable (TransferProgress) -> Void
    ) async -> Ending {
        timer.onFire { [weak self] in self?.deadlinePassed() }
        take(arrived)
        // The job does not inherit the caller's cancellation, because it must send CLOSE first.
        let job = Task { await self.drive(onProgress: onProgress) }
        return await withTaskCancellationHandler {
            await job.value
        } onCancel: {
            giveUp(because: cancellation)
        }
    }

    private func drive(
        onProgress: @escaping @Sendable (TransferProgress) -> Void
    ) async -> Ending {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.takeIn() }
            await self.sendOut(onProgress)
            group.cancelAll()
        }
        timer.stop()
        return state.withLock { state in
            Ending(
                outcome: state.sender.outcome,
                linkError: state.linkError,
                sourceError: state.sourceError,
                statistics: state.sender.statistics,
                resumedFromByte: state.sender.resumedFromByte,
                furthestDurable: state.sender.furthestDurable,
                chunkSize: state.sender.chunkSize,
                dataByteCount: state.dataByteCount,
                measuring: state.measuring,
                nextRequest: state.nextRequest
            )
        }
    }

    // MARK: - In

    private func takeIn() async {
        while true {
            do {
                take(try await link.receive())
            } catch {
                linkEnded(error)
                return
            }
        }
    }

    private func take(_ datagrams: [Datagram]) {
        let now = clock.now
        let next = datagrams.firstIndex(where: isOtherRequest)
        let (provenByteCount, isMeasured) = state.withLock { state -> (Int, Bool) in
            let before = state.sender.statistics.chunksAcknowledged
            for datagram in datagrams[..<(next ?? datagrams.count)]
            where datagram.channel == .control {
                state.sender.receive(datagram.bytes.span.bytes, at: now)
            }
            if let next { state.nextRequest = Array(datagrams[next...]) }
            let chunkCount = Int(state.sender.statistics.chunksAcknowledged - before)
            let byteCount = chunkCount * state.sender.chunkSize.byteCount
            let isMeasured = state.measuring?.take(
                state.sender,
                acknowledgedByteCount: byteCount,
                at: now
            )
            return (byteCount, isMeasured ?? false)
        }
        if next != nil { giveUp(because: .cancelled) }
        if isMeasured { giveUp(because: .withdrawn) }
        if provenByteCount > 0 { windowed?.acknowledged(byteCount: provenByteCount) }
        wakeup.call()
    }

    //= OPEN-12: If a sender that is answering a REQUEST gets a REQUEST with another number, it MUST
    //= end its session with CLOSE *cancelled* and answer the new REQUEST.
    private func isOtherRequest(_ datagram: Datagram) -> Bool {
        guard let answered, datagram.channel == .control,
            let request = ReceiveDriver.request(in: datagram.bytes.span.bytes)
        else { return false }
        return request.session != answered
    }

    private func linkEnded(_ error: TransportError) {
        state.withLock { state in
            if state.linkError == nil, !state.isDone { state.linkError = error }
        }
        wakeup.call()
    }

    private func deadlinePassed() {
        let now = clock.now
        let isOverdue = state.withLock { state -> Bool in
            state.sender.handleTimeout(at: now)
            if state.sender.outcome != nil, state.endedAt == nil { state.endedAt = now }
            guard let endedAt = state.endedAt, !state.isDone else { return false }
            return now >= endedAt + farewell
        }
        if isOverdue {
            link.close(.local)
        } else {
            armAlarm(after: now)
        }
        wakeup.call()
    }

    private func giveUp(because reason: Reason) {
        let now = clock.now
        state.withLock { state in
            state.sender.abort(reason)
            if state.endedAt == nil { state.endedAt = now }
        }
        armAlarm(after: now)
        wakeup.call()
    }

    /// Re-arms the timer, because the sending task can't do so while a send is blocked. A deadline
    /// that has passed may stay overdue, so the next check is at least ``patience`` away.
    private func armAlarm(after now: Instant) {
        let deadline = state.withLock { state -> Instant? in
            state.endedAt.map { $0 + farewell } ?? state.sender.nextDeadline
        }
        timer.arm(at: deadline.map { max($0, now + Self.patience) })
    }

    // MARK: - Out

    private func sendOut(_ onProgress: @Sendable (TransferProgress) -> Void) async {
        var source = ChunkSource(variant)
        var meter = ProgressMeter(totalByteCount: variant.byteCount)
        while true {
            let next = nextStep(&meter)
            if let progress = next.progress { onProgress(progress) }
            do {
                if let transmission = next.transmission {
                    try await send(transmission, from: &source)
                } else if next.isOver {
                    try await link.flush()
                    break
                } else {
                    await wakeup.wait()
                }
            } catch {
                linkEnded(error)
                break
            }
        }
        state.withLock { $0.isDone = true }
    }

    private struct Step {
        var transmission: SenderTransmission?
        var isOver: Bool
        var progress: TransferProgress?
    }

    /// The next datagram to send, whether the session is over, and the progress to report.
    /// Datagrams are sent one at a time because the machine records when each is handed to the
    /// link.
    private func nextStep(_ meter: inout ProgressMeter) -> Step {
        let now = clock.now
        var step = Step(isOver: false)
        let (deadline, durable, statistics) = state.withLock {
            state -> (Instant?, UInt32?, SenderStatistics) in
            state.sender.handleTimeout(at: now)
            // After the link has ended, nothing can be sent, so the machine is not asked for
            // frames.
            if state.linkError == nil {
                step.transmission = state.sender.nextTransmission(at: now)
            }
            step.isOver = state.sender.outcome != nil || state.linkError != nil
            if step.isOver, state.endedAt == nil { state.endedAt = now }
            let durable = state.sender.resumedFromByte.map { _ in state.sender.durableByteCount }
            return (
                state.endedAt.map { $0 + farewell } ?? state.sender.nextDeadline,
                durable, state.sender.statistics
            )
        }
        timer.arm(at: deadline)
        step.progress = durable.flatMap { durable in
            meter.take(
                durableByteCount: Int(durable),
                dataFramesSent: Int(statistics.dataFramesSent),
                dataFramesResent: Int(statistics.dataFramesResent),
                at: now
            )
        }
        return step
    }

    private func send(
        _ transmission: SenderTransmission,
        from source: inout ChunkSource
    ) async throws(TransportError) {
        switch transmission {
        case .control(let frame):
            try await link.send(frame.bytes, on: .control, .withResponse)
        case .echo(let token, let byteCount):
            try await link.send(
                EchoProbe.bytes(token: token, byteCount: byteCount),
                on: .data,
                .withoutResponse
            )
        case .data(let chunk):
            let admitted = state.withLock { state in
                state.measuring == nil ? chunk : state.measuring?.admit(chunk)
            }
            guard let chunk = admitted else { return }
            let frame: [UInt8]
            do throws(FirmwareError) {
                frame = try source.frame(of: chunk)
            } catch {
                state.withLock { if $0.sourceError == nil { $0.sourceError = error } }
                giveUp(because: .sourceFailed)
                return
            }
            try await link.send(frame, on: .data, delivery)
            state.withLock { $0.dataByteCount += frame.count }
        }
    }
}
