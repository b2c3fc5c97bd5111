import Synchronization

/// Reads a watch's messages on the watch's own thread.
///
/// Only that thread uses what isn't a constant, except for the flag.
final class WatchPump: @unchecked Sendable {
    /// How long the thread waits before it looks whether it should end, or is on an old connection.
    /// An idle watch costs ten looks a second.
    private static let look = Duration.milliseconds(100)

    /// The changes that are handed over at once, so that a thread isn't woken for each. Their
    /// values are in memory twice meanwhile.
    private static let batchMax = 64

    private let plan: WatchPlan
    private let handle: ConnectionHandle
    private let events: ConnectionEvents
    private let isOver = Atomic(false)

    private var push: ConsumerPush?
    private var generation = 0
    /// The last message that was seen, after which to go on.
    private var lastSequence: UInt64 = 0
    private var isCaughtUp = false
    private var batch: [BucketChange] = []

    init(_ plan: WatchPlan, _ handle: ConnectionHandle, _ events: ConnectionEvents) {
        self.plan = plan
        self.handle = handle
        self.events = events
    }

    /// Ends a call of ``next()`` soon, and every later one at once.
    func end() { isOver.store(true, ordering: .relaxed) }

    // MARK: - On the watch's thread

    func finish() {
        push?.end()
        push = nil
    }

    /// Subscribes, and throws if the server refuses.
    func begin() throws(NATSError) {
        generation = events.generation
        let start = lastSequence == 0 ? plan.start : .sequence(lastSequence + 1)
        let push = try ConsumerPush(plan, from: start, handle)
        if !isCaughtUp, lastSequence == 0, push.beginsEmpty { catchUp() }
        self.push = push
    }

    /// Waits for changes; returns none if the watch has been ended.
    func next() throws(NATSError) -> [BucketChange] {
        while !isOver.load(ordering: .relaxed) {
            do {
                if batch.isEmpty { try read() }
            } catch {
                switch error.fault {
                case .network: finish()
                // libnats couldn't hold what came, or the consumer is gone.
                case .process where isOpen: finish()
                case .process, .caller, .operator, .otherClient: throw events.cause(of: error)
                }
            }
            if !batch.isEmpty {
                defer { batch = [] }
                return batch
            }
        }
        return []
    }

    private var isOpen: Bool {
        if case .closed = events.phase { false } else { true }
    }

    private func read() throws(NATSError) {
        guard let push, generation == events.generation else { return try beginAgain() }
        guard let first = try push.next(within: Self.look) else {
            if case .closed(let error) = events.phase { throw error }
            return
        }
        try take(first)
        while batch.count < Self.batchMax, push.hasMore,
            let message = try push.next(within: Self.look)
        {
            try take(message)
        }
    }

    /// Goes on after the last message, unless the bucket is another one than before.
    private func beginAgain() throws(NATSError) {
        finish()
        do {
            try events.requireConnected()
            if try handle.streamState(plan.stream).lastSequence < lastSequence {
                lastSequence = 0
                isCaughtUp = false
                batch.append(.startedOver)
            }
            try begin()
        } catch {
            // The thread has nothing else to do until there is a server again.
            if error.fault == .network { pauseBriefly() }
            throw error
        }
    }

    private func take(_ pushed: borrowing PushedMessage) throws(NATSError) {
        let delivery = pushed.delivery
        lastSequence = delivery.sequence
        // Another client may have written a key that this one can't name.
        if let key = Key(pushed.message.subject.dropFirst(plan.prefix.count)) {
            let entry = try BucketEntry(
                pushed.message,
                key: key,
                sequence: delivery.sequence,
                nanoseconds: delivery.nanoseconds
            )
            batch.append(.entry(entry))
        }
        if !isCaughtUp, delivery.laterCount == 0 { catchUp() }
    }

    private func catchUp() {
        isCaughtUp = true
        batch.append(.caughtUp)
    }
}
