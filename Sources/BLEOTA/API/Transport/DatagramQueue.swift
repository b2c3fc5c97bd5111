/// A bounded queue for datagrams that have arrived over a link and wait to be received. It ends
/// with exactly one reason. Receiving is the part of a ``Transport`` that most authors get
/// wrong.
///
/// ```swift
/// final class Pipe: Transport {
///     private let inbound = DatagramQueue()
///     func receive() async throws(TransportError) -> [Datagram] { try await inbound.receive() }
///     …
/// }
/// ```
///
/// Any thread may fill the queue; one task receives. If that task is cancelled while it waits,
/// no datagram is lost.
public final class DatagramQueue: Sendable {
    private struct State {
        var arrived: [Datagram] = []
        var hasOverflowed = false
        var ending: TransportError?
        var reason: CloseReason?

        mutating func takeAll() -> [Datagram]? {
            if arrived.isEmpty { return nil }
            // The next batch will probably be about as long as this one.
            var taken: [Datagram] = []
            taken.reserveCapacity(arrived.count)
            swap(&taken, &arrived)
            return taken
        }
    }

    private let limit: Int
    private let state = Monitor(State())

    /// Creates an empty queue.
    ///
    /// - Parameter limit: the maximum number of queued datagrams, at least 1. The default has
    ///   room for a sender's largest window and for one second of control frames.
    public init(limit: Int = 4_096) {
        precondition(limit > 0, "limit must be at least 1")
        self.limit = limit
    }

    /// Appends as many of the datagrams as there is room for. After an overflow, and after
    /// ``end(_:)``, the queue accepts no more datagrams, so the received sequence has no gap.
    ///
    /// - Returns: `false` if the queue has overflowed; the caller must then close the link with
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

    /// Waits until at least one datagram is queued, then removes and returns all of them in
    /// order of arrival.
    ///
    /// - Throws: ``TransportError/cancelled`` if the task is cancelled. After ``end(_:)``, once the
    ///   queue is empty: the error that states why the queue ended.
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

    /// Ends the queue for this reason: it accepts no more datagrams, but those in it can still
    /// be received. A second call has no effect.
    public func end(_ reason: CloseReason) {
        state.update(waking: .receiver) { state in
            if state.ending != nil { return }
            state.reason = reason
            state.ending =
                state.hasOverflowed && reason == .overflow
                ? .inboundOverflow(limit: limit) : .closed(reason)
        }
    }

    /// The number of queued datagrams.
    package var count: Int { state.read { $0.arrived.count } }

    /// The reason given to ``end(_:)``; `nil` before that call.
    public var closeReason: CloseReason? { state.read { $0.reason } }
}
