import BLEOTACore
import BLEOTAHost
import BLEOTAWire

/// What the tasks of a ``ReceiveDriver`` share, under its lock.
struct ReceiveState: ~Copyable {
    /// Something the store has to do, with a copy of the bytes: the machine goes on meanwhile.
    struct Job: Sendable {
        let task: StorageTask
        let ticket: StorageTicket
        let bytes: [UInt8]
    }

    /// What the application is told of sessions that ended while the store was at one job.
    private static var untoldCountMax: Int { 16 }

    var receiver: Receiver
    /// `nil` where nobody else waits for the store.
    private var progress: ReceiverProgress?
    var jobs: [Job] = []
    /// Whether the store is at a job.
    var isStoreAtWork = false
    /// Until when the sending task sleeps, if nobody wakes it.
    private var wakesAt: Instant?
    /// Why the driver is to return, once everything is said.
    private(set) var ending: ReceiveEnding?
    private var lastEnding: SessionEnding?
    /// Sessions that ended and that the application has not been told of.
    private var untold: [SessionEnding] = []
    private(set) var isGivingUp = false
    /// Since when only the last words are missing.
    private var endedAt: Instant?
    /// Nothing is sent any more.
    var isDone = false

    init(receiver: consuming Receiver, progress: ReceiverProgress? = nil) {
        self.receiver = receiver
        self.progress = progress
    }

    var isOver: Bool { ending != nil }

    var isLinkGone: Bool {
        if case .link = ending { true } else { false }
    }

    /// Whether the sending task has something to do that it doesn't know of. To wake it costs more
    /// than to take in a frame, most of which leave nothing to say.
    func mustWakeSender(at now: Instant, farewell: Microseconds) -> Bool {
        if isOver || isGivingUp || receiver.hasTransmission(at: now) { return true }
        guard let deadline = deadline(farewell: farewell) else { return false }
        return wakesAt.map { deadline < $0 } ?? true
    }

    /// Whether the task of the store has something to do.
    var mustWakeStore: Bool { !jobs.isEmpty || !untold.isEmpty }

    /// The next frame for the sending task, and when it has to look again.
    mutating func nextDatagram(
        at now: Instant,
        farewell: Microseconds
    ) -> (next: [UInt8]?, deadline: Instant?) {
        let next = isLinkGone ? nil : receiver.nextDatagram(at: now)
        _ = endedAt(at: now)
        wakesAt = deadline(farewell: farewell)
        return (next, wakesAt)
    }

    /// Since when only the last words are missing; `nil` while there is more to do.
    mutating func endedAt(at now: Instant) -> Instant? {
        if endedAt == nil, isOver || isGivingUp { endedAt = now }
        return endedAt
    }

    /// When the machine has to be looked at again, or the last words have taken too long.
    func deadline(farewell: Microseconds) -> Instant? {
        if let endedAt { return endedAt + farewell }
        guard let stalled = progress?.deadline else { return receiver.nextDeadline }
        return receiver.nextDeadline.map { min($0, stalled) } ?? stalled
    }

    /// Ends the session with RESULT, and then the run.
    mutating func giveUp(because reason: Reason, at now: Instant, _ scope: ReceiveScope) {
        isGivingUp = true
        _ = endedAt(at: now)
        receiver.abort(reason, at: now)
        drain(scope)
        if receiver.phase == .idle { setEnding(.session(SessionEnding(reason: reason), nil)) }
    }

    /// Ends the session, and then the run, if the peer gets no further; to be called after each
    /// input.
    mutating func endIfStalled(at now: Instant, _ scope: ReceiveScope) {
        guard progress != nil, !isGivingUp else { return }
        progress?.observe(receiver, at: now)
        if progress?.isStalled == true { giveUp(because: .stalled, at: now, scope) }
    }

    /// The next thing for the store to do.
    mutating func takeJob() -> Job? { jobs.isEmpty ? nil : jobs.removeFirst() }

    /// How sessions have ended since this was asked.
    mutating func takeUntold() -> [SessionEnding] {
        defer { untold.removeAll() }
        return untold
    }

    mutating func setEnding(_ ending: ReceiveEnding) {
        if self.ending == nil { self.ending = ending }
    }

    /// A block was wrong: those after it, which the store has not come to yet, are taken back with
    /// it and come again.
    mutating func dropWrites(for ticket: StorageTicket) {
        jobs.removeAll { job in
            if case .write = job.task { job.ticket == ticket } else { false }
        }
    }

    /// Another session takes the place of those whose look-ups have not begun, and nobody waits for
    /// their answers any more. What stands behind such a look-up is the end of its session. So a
    /// peer that opens sessions faster than the store finds transfers adds one look-up and the end
    /// of one session to the blocks that the machine has slots for.
    private mutating func dropLookUps() {
        let first = jobs.firstIndex { job in
            if case .lookUp = job.task { true } else { false }
        }
        if let first { jobs.removeSubrange(first...) }
    }

    /// Takes from the machine what it wants stored, and notes how sessions end.
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
            let ending = SessionEnding(reason: reason, detail: receiver.endingDetail)
            lastEnding = ending
            // A peer can open and end sessions faster than anybody can be told of them.
            if untold.count == Self.untoldCountMax { untold.removeLast() }
            untold.append(ending)
        }
        guard let lastEnding else { return }
        // RESULT is kept until the sender has seen it; then the machine is idle.
        let isOver =
            switch receiver.phase {
            case .idle: true
            case .finished: isGivingUp
            default: false
            }
        if isOver, scope == .oneSession || isGivingUp { setEnding(.session(lastEnding, nil)) }
    }
}
