/// What has arrived over a link and waits to be taken: bounded, and closed with one reason.
///
/// The link's I/O thread fills it; one task takes.
final class InboundQueue: Sendable {
    private struct State {
        var arrived: [Datagram] = []
        var hasOverflowed = false
        var ending: TransportError?

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

    /// - Parameter limit: datagrams that may wait; at least 1.
    init(limit: Int) {
        precondition(limit > 0, "a link must carry something")
        self.limit = limit
    }

    /// Puts datagrams in, as many as there is room for.
    ///
    /// - Returns: whether all had room; if not, the caller closes the link.
    func put(_ datagrams: [Datagram]) -> Bool {
        if datagrams.isEmpty { return true }
        return state.update(waking: .receiver) { state in
            let room = limit - state.arrived.count
            state.arrived += datagrams.prefix(room)
            state.hasOverflowed = datagrams.count > room
            return !state.hasOverflowed
        }
    }

    /// Waits for datagrams and takes all that are there; throws why there will be no more.
    func take() async throws(TransportError) -> [Datagram] {
        let taken = try await state.wait(as: .receiver) {
            state throws(TransportError) -> [Datagram]? in
            if let arrived = state.takeAll() { return arrived }
            if let ending = state.ending { throw ending }
            return nil
        }
        guard let taken else { throw .cancelled }
        return taken
    }

    /// Takes no more in. What is there can still be taken.
    func end(_ reason: CloseReason) {
        state.update(waking: .receiver) { state in
            state.ending =
                state.hasOverflowed && reason == .overflow
                ? .inboundOverflow(limit: limit) : .closed(reason)
        }
    }
}
