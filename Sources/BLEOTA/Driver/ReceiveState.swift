import BLEOTACore

/// What the tasks of a ``ReceiveDriver`` share, under its lock.
struct ReceiveState: ~Copyable {
    /// Something the store has to do, with a copy of the bytes: the machine goes on meanwhile.
    struct Job: Sendable {
        let task: StorageTask
        let ticket: StorageTicket
        let bytes: [UInt8]
    }

    var receiver: Receiver
    var jobs: [Job] = []
    /// Until when the sending task sleeps, if nobody wakes it.
    private var wakesAt: Instant?
    /// Why the driver is to return, once everything is said.
    private(set) var ending: ReceiveEnding?
    private var lastReason: Reason?
    /// Sessions that ended and that the application has not been told of.
    var untold: [Reason] = []
    var isGivingUp = false
    /// Since when only the last words are missing.
    private var endedAt: Instant?
    /// Nothing is sent any more.
    var isDone = false

    init(receiver: consuming Receiver) { self.receiver = receiver }

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
        endedAt.map { $0 + farewell } ?? receiver.nextDeadline
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

    /// Takes from the machine what it wants stored, and notes how sessions end.
    mutating func drain(_ scope: ReceiveScope) {
        while let task = receiver.nextTask() {
            var bytes: [UInt8] = []
            if case .write(_, let block) = task {
                bytes = receiver.withBytes(ofBlock: block) { span in
                    span.withUnsafeBytes { Array($0) }
                }
            }
            jobs.append(Job(task: task, ticket: receiver.ticket, bytes: bytes))
        }
        if let reason = receiver.takeEnding() {
            lastReason = reason
            untold.append(reason)
        }
        guard let reason = lastReason else { return }
        // RESULT is kept until the sender has seen it; then the machine is idle.
        let isOver =
            switch receiver.phase {
            case .idle: true
            case .finished: isGivingUp
            default: false
            }
        if isOver, scope == .oneSession || isGivingUp { setEnding(.session(reason, nil)) }
    }
}
