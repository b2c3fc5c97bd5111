import BLEOTA

/// The datagrams that have arrived for a link over UDP, until the link takes them.
final class DatagramInbox: Sendable {
    private struct State {
        var arrived: [[UInt8]] = []
        var reason: CloseReason?
    }

    private let countMax: Int
    private let state = Monitor(State())

    /// - Parameter countMax: the maximum number of waiting datagrams. Further datagrams are lost,
    ///   as datagrams may be.
    init(countMax: Int) { self.countMax = countMax }

    func put(_ datagrams: some Collection<[UInt8]> & Sendable) {
        state.update(waking: .receiver) { [countMax] state in
            state.arrived += datagrams.prefix(countMax - state.arrived.count)
        }
    }

    /// Waits until at least one datagram has arrived, then returns all in order of arrival.
    ///
    /// - Throws: a ``TransferError`` with the code `linkLost` once the inbox is closed and empty,
    ///   or with the code `cancelled`.
    func receive() async throws(TransferError) -> [[UInt8]] {
        let arrived = try await state.wait(as: .receiver) {
            state throws(TransferError) -> [[UInt8]]? in
            if !state.arrived.isEmpty {
                defer { state.arrived = [] }
                return state.arrived
            }
            if let reason = state.reason { throw TransferError(.linkLost(reason)) }
            return nil
        }
        guard let arrived else { throw TransferError(.cancelled) }
        return arrived
    }

    /// The reason the inbox was closed; `nil` while it is open.
    var closeReason: CloseReason? { state.read { $0.reason } }

    /// Runs `body` unless the inbox is closed. The inbox can't be closed meanwhile.
    func whileOpen(_ body: () -> Void) {
        state.read { state in if state.reason == nil { body() } }
    }

    /// Closes the inbox. Only the first reason is kept.
    func close(_ reason: CloseReason) {
        state.update(waking: .receiver) { state in state.reason = state.reason ?? reason }
    }
}
