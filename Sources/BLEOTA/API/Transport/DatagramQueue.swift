/// What has arrived over a link and waits to be received: bounded, and ended with one reason. The
/// half of a ``Transport`` that most authors get wrong.
///
/// ```swift
/// final class Pipe: Transport {
///     private let inbound = DatagramQueue()
///     func receive() async throws(TransportError) -> [Datagram] { try await inbound.receive() }
///     …
/// }
/// ```
///
/// Any thread fills it; one task receives. A task that is cancelled while it waits takes nothing
/// with it.
public final class DatagramQueue: Sendable {
    private struct State {
        var arrived: [Datagram] = []
        var hasOverflowed = false
        var ending: TransportError?
        var reason: CloseReason?

        mutating func takeAll() -> [Datagram]? {
            if arrived.isEmpty { return nil }
            // The next batch is likely as long as this one.
            var taken: [Datagram] = []
            taken.reserveCapacity(arrived.count)
            swap(&taken, &arrived)
            return taken
        }
    }

    private let limit: Int
    private let state = Monitor(State())

    /// An empty queue.
    ///
    /// - Parameter limit: datagrams that may wait, at least 1. By default as many as a sender's
    ///   largest window and a second of control frames need.
    public init(limit: Int = 4_096) {
        precondition(limit > 0, "a link must carry something")
        self.limit = limit
    }

    /// Puts datagrams in, as many as there is room for. After one that had none, and after
    /// ``end(_:)``, nothing more goes in: what can be received has no gap.
    ///
    /// - Returns: whether all had room; if not, the caller closes the link for
    ///   ``CloseReason/overflow``.
    public func put(_ datagrams: [Datagram]) -> Bool {
        if datagrams.isEmpty { return true }
        return state.update(waking: .receiver) { state in
            if state.hasOverflowed || state.ending != nil { return !state.hasOverflowed }
            let room = limit - state.arrived.count
            state.arrived += datagrams.prefix(room)
            state.hasOverflowed = datagrams.count > room
            return !state.hasOverflowed
        }
    }

    /// Waits for datagrams and takes all that are there, at least one, in arrival order.
    ///
    /// - Throws: ``TransportError/cancelled`` in a cancelled task, and why there will be no more
    ///   once all were taken.
    public func receive() async throws(TransportError) -> [Datagram] {
        let taken = try await state.wait(as: .receiver) {
            state throws(TransportError) -> [Datagram]? in
            if let arrived = state.takeAll() { return arrived }
            if let ending = state.ending { throw ending }
            return nil
        }
        guard let taken else { throw .cancelled }
        return taken
    }

    /// Closes the queue for new datagrams, for this reason. The datagrams in it can still be
    /// received. A second call changes nothing.
    public func end(_ reason: CloseReason) {
        state.update(waking: .receiver) { state in
            if state.ending != nil { return }
            state.reason = reason
            state.ending =
                state.hasOverflowed && reason == .overflow
                ? .inboundOverflow(limit: limit) : .closed(reason)
        }
    }

    /// Why there will be no more; `nil` before ``end(_:)``.
    public var closeReason: CloseReason? { state.read { $0.reason } }
}
