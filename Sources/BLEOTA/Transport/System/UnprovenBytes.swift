/// The bytes that were passed to a link and that nothing has yet proven to have left its queue.
/// Meant for a link whose queue has no limit and does not report what it has sent.
///
/// One task reserves room. Any task may prove bytes or end the link.
package final class UnprovenBytes: Sendable {
    private struct State {
        var sentByteCount = 0
        var provenByteCount = 0
        var isProving = false
        var closeReason: CloseReason?
    }

    private let byteCountMax: Int
    private let state = Monitor(State())

    /// - Parameter byteCountMax: the largest number of unproven bytes.
    package init(byteCountMax: Int) { self.byteCountMax = byteCountMax }

    /// The reason given to ``end(_:)``; `nil` before that call.
    package var closeReason: CloseReason? { state.read { $0.closeReason } }

    /// Waits until there is room for these bytes, and reserves it.
    ///
    /// - Parameter prove: called while there is no room, with the number of bytes sent so far. The
    ///   closure has to cause a later call of ``proved(byteCount:)`` with that number. Until then,
    ///   `prove` is not called again.
    package func reserve(
        _ byteCount: Int,
        prove: (_ sentByteCount: Int) -> Void
    ) async throws(TransportError) {
        var isReserved = try state.attempt { state throws(TransportError) -> Bool? in
            try reserve(byteCount, &state)
        }
        while isReserved != true {
            if let mark = beginProof() { prove(mark) }
            isReserved = try await state.wait(as: .sender) {
                state throws(TransportError) -> Bool? in
                if let isReserved = try reserve(byteCount, &state) { return isReserved }
                // A proof that was already pending may have covered too few bytes.
                return state.isProving ? nil : false
            }
            if isReserved == nil { throw .cancelled }
        }
    }

    private func reserve(_ byteCount: Int, _ state: inout State) throws(TransportError) -> Bool? {
        if let reason = state.closeReason { throw .closed(reason) }
        let unproven = state.sentByteCount - state.provenByteCount
        guard unproven + byteCount <= byteCountMax else { return nil }
        state.sentByteCount += byteCount
        return true
    }

    private func beginProof() -> Int? {
        state.update { state in
            guard !state.isProving, state.closeReason == nil else { return nil }
            state.isProving = true
            return state.sentByteCount
        }
    }

    /// Records that the first `byteCount` of all bytes sent have left the queue.
    package func proved(byteCount: Int) {
        state.update(waking: .sender) { state in
            state.isProving = false
            state.provenByteCount = max(state.provenByteCount, byteCount)
        }
    }

    /// Records that the peer has `byteCount` more bytes.
    package func acknowledged(byteCount: Int) {
        state.update(waking: .sender) { state in
            // Retransmitted chunks are counted once, and bytes that were proved may be counted
            // again.
            state.provenByteCount = min(state.provenByteCount + byteCount, state.sentByteCount)
        }
    }

    /// Ends the link for this reason, and releases a waiting task.
    ///
    /// - Returns: whether this is the first call; later ones have no effect.
    package func end(_ reason: CloseReason) -> Bool {
        state.update(waking: .sender) { state in
            if state.closeReason != nil { return false }
            state.closeReason = reason
            return true
        }
    }
}
