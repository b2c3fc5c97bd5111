import BLEOTACore
import BLEOTAHost
import BLEOTAWire

/// The state that the tasks of a ``ReceiveDriver`` share under its lock.
struct ReceiveState: ~Copyable {
    /// A task for the store, with a copy of its bytes because the receiver keeps running meanwhile.
    struct Job: Sendable {
        let task: StorageTask
        let ticket: StorageTicket
        let bytes: [UInt8]
    }

    /// The maximum number of ended sessions that wait to be reported to the application.
    private static var untoldCountMax: Int { 16 }

    var receiver: Receiver
    /// The progress of the link; `nil` if no other peers wait for the store.
    private var progress: ReceiverProgress?
    var jobs: [Job] = []
    /// The block maps that the receiver may still read after the task for the store has ended.
    var maps: [BlockMapMemory] = []
    /// The answer to the newest CHALLENGE, until it is sent.
    var proof: [UInt8]?
    /// Whether the store is working on a job.
    var isStoreAtWork = false
    /// When the sending task wakes up, unless it is signaled earlier.
    private var wakesAt: Instant?
    /// Why the driver will return once the last frames have been sent.
    private(set) var ending: ReceiveEnding?
    private var lastEnding: SessionEnding?
    /// Ended sessions that have not been reported to the application.
    private var untold: [SessionEnding] = []
    /// Why this side ends its run; `nil` while it runs.
    private var givingUpBecause: Reason?
    /// The time at which nothing was left to do but send the last frames; `nil` before that
    /// time.
    private var endedAt: Instant?
    /// Whether the sending task has returned.
    var isDone = false

    init(receiver: consuming Receiver, progress: ReceiverProgress? = nil) {
        self.receiver = receiver
        self.progress = progress
    }

    var isOver: Bool { ending != nil }

    private var isGivingUp: Bool { givingUpBecause != nil }

    private func sessionEnding(_ reason: Reason) -> SessionEnding {
        SessionEnding(
            reason: reason,
            detail: receiver.endingDetail,
            isCancelledHere: reason == .cancelled && givingUpBecause == .cancelled
        )
    }

    var isLinkGone: Bool {
        if case .link = ending { true } else { false }
    }

    /// Whether the sending task must be woken because there is new work for it. Waking the task
    /// costs more than processing a frame, and most frames leave nothing to send.
    func mustWakeSender(at now: Instant, farewell: Microseconds) -> Bool {
        if isOver || isGivingUp || receiver.hasTransmission(at: now) { return true }
        guard let deadline = deadline(farewell: farewell) else { return false }
        return wakesAt.map { deadline < $0 } ?? true
    }

    /// Whether the storage task has work to do.
    var mustWakeStore: Bool { !jobs.isEmpty || !untold.isEmpty }

    /// The next frame to send, and the time at which the sending task checks again.
    mutating func nextDatagram(
        at now: Instant,
        farewell: Microseconds
    ) -> (next: [UInt8]?, deadline: Instant?) {
        let next = isLinkGone ? nil : proof.take() ?? receiver.nextDatagram(at: now)
        _ = endedAt(at: now)
        wakesAt = deadline(farewell: farewell)
        return (next, wakesAt)
    }

    /// Returns the time at which nothing was left to do but send the last frames; `nil` while
    /// there is other work.
    mutating func endedAt(at now: Instant) -> Instant? {
        if endedAt == nil, isOver || isGivingUp { endedAt = now }
        return endedAt
    }

    /// When the receiver's next timeout is due or, at the end, when the last frames have taken too
    /// long.
    func deadline(farewell: Microseconds) -> Instant? {
        if let endedAt { return endedAt + farewell }
        guard let stalled = progress?.deadline else { return receiver.nextDeadline }
        return receiver.nextDeadline.map { min($0, stalled) } ?? stalled
    }

    /// Ends the session with RESULT, and then ends the run.
    mutating func giveUp(because reason: Reason, at now: Instant, _ scope: ReceiveScope) {
        givingUpBecause = reason
        _ = endedAt(at: now)
        receiver.abort(reason, at: now)
        drain(scope)
        if receiver.phase == .idle { setEnding(.session(sessionEnding(reason), nil)) }
    }

    /// Ends the session and the run if the peer makes no progress. Call it after each input.
    mutating func endIfStalled(at now: Instant, _ scope: ReceiveScope) {
        guard progress != nil, !isGivingUp else { return }
        progress?.observe(receiver, at: now)
        if progress?.isStalled == true { giveUp(because: .stalled, at: now, scope) }
    }

    /// Removes and returns the next job for the store.
    mutating func takeJob() -> Job? { jobs.isEmpty ? nil : jobs.removeFirst() }

    /// Removes and returns the ended sessions that have not been reported.
    mutating func takeUntold() -> [SessionEnding] {
        defer { untold.removeAll() }
        return untold
    }

    mutating func setEnding(_ ending: ReceiveEnding) {
        if self.ending == nil { self.ending = ending }
    }

    /// Drops the session's queued writes after a rejected block. The rejection starts a new epoch,
    /// in which the sender sends the blocks of these writes again.
    mutating func dropWrites(for ticket: StorageTicket) {
        jobs.removeAll { job in
            if case .write = job.task { job.ticket == ticket } else { false }
        }
    }

    /// Drops the first queued lookup and every job after it: a new session replaces the sessions of
    /// these jobs, and nothing is waiting for their answers. The jobs after a lookup only end its
    /// session. However fast a peer opens sessions, it therefore adds at most one lookup and one
    /// release to the queue, in addition to the blocks for which the receiver has slots.
    private mutating func dropLookUps() {
        let first = jobs.firstIndex { job in
            if case .lookUp = job.task { true } else { false }
        }
        if let first { jobs.removeSubrange(first...) }
    }

    /// Queues the receiver's storage tasks as jobs, and records how sessions end.
    mutating func drain(_ scope: ReceiveScope) {
        while let task = receiver.nextTask() {
            var bytes: [UInt8] = []
            if case .write(_, let block) = task {
                bytes = receiver.withBytes(ofBlock: block) { span in
                    span.withUnsafeBytes { Array($0) }
                }
            }
            if case .lookUp = task { dropLookUps() }
            jobs.append(Job(task: task, ticket: receiver.ticket, bytes: bytes))
        }
        if let reason = receiver.takeEnding() {
            let ending = sessionEnding(reason)
            lastEnding = ending
            // A peer can open and end sessions faster than the application can be informed of them.
            if untold.count == Self.untoldCountMax { untold.removeLast() }
            untold.append(ending)
        }
        guard let lastEnding else { return }
        // The receiver keeps RESULT until the sender confirms it or 10 seconds pass, then becomes
        // idle.
        let isOver =
            switch receiver.phase {
            case .idle: true
            case .finished: isGivingUp
            default: false
            }
        if isOver, scope == .oneSession || isGivingUp { setEnding(.session(lastEnding, nil)) }
    }
}
