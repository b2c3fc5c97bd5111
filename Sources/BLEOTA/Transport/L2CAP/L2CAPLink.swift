import BLEOTACore
import Glibc
import Synchronization

/// The engine of one channel: the state that the tasks and the ``SocketLoop`` share, as
/// ``SocketLink`` is for a Unix socket.
///
/// Datagrams collect in an SDU. A task passes an SDU to the kernel when the SDU is full, and the
/// loop's thread passes on the remaining SDUs. While the kernel accepts no more data, datagrams
/// collect in up to two SDUs: a full one, and the one that is being filled. A link that is slower
/// than its sender therefore carries long SDUs. Over an idle link, the thread passes on each
/// datagram at once.
final class L2CAPLink: WatchedSocket {
    private struct Outbound {
        var closeReason: CloseReason?
        /// When the link gives up sending the remaining data after ``closeReason`` was set.
        var closeDeadline: ContinuousClock.Instant?
        /// The SDU that has no more room, and the SDU that is being filled.
        var full: [UInt8] = []
        var filling: [UInt8] = []
        /// Whether the kernel accepts no more data. If so, the thread must wait until it accepts
        /// data again.
        var isStuck = false
        var isPeerGone = false
        var isFinished = false
        /// Whether the thread was already woken, and so will look at the SDUs.
        var isThreadWoken = false
        /// Counters since the link came up; at 64 bits, they never overflow.
        var barrierCount: UInt64 = 0
        var barrierAnswerCount: UInt64 = 0
        /// Answers owed to the peer, for which the SDUs had no room.
        var owedBarrierAnswerCount = 0

        var isEmpty: Bool { full.isEmpty && filling.isEmpty }
    }

    /// How long the link may take to send the remaining data after a close.
    private static let closeMax = Duration.seconds(1)

    let descriptor: Int32
    private let sduByteCountMax: Int
    /// Used only by the loop's thread.
    private let reader: Mutex<L2CAPReader>
    private let outbound = Monitor(Outbound())
    private let inbound: DatagramQueue

    /// - Parameters:
    ///   - frameByteCountMax: the longest frame that the link carries, in bytes.
    ///   - sending: the longest SDU that the peer takes, in bytes.
    ///   - receiving: the longest SDU that this end takes, in bytes.
    init(
        _ descriptor: Int32,
        frameByteCountMax: Int,
        sending: Int,
        receiving: Int,
        inboundLimit: Int
    ) {
        self.descriptor = descriptor
        sduByteCountMax = sending
        inbound = DatagramQueue(limit: inboundLimit)
        reader = Mutex(
            L2CAPReader(
                descriptor: descriptor,
                frameByteCountMax: frameByteCountMax,
                sduByteCountMax: receiving
            )
        )
    }

    // MARK: What tasks call

    /// Waits for room in an SDU, and puts a packet into it.
    ///
    /// - Returns: the number of barriers sent so far.
    @discardableResult
    func put(_ kind: SocketFrame.Kind, _ payload: [UInt8]) async throws(TransportError) -> UInt64 {
        try await outbound.answer(as: .sender) { state throws(TransportError) -> UInt64? in
            try putNow(kind, payload, &state)
        }
    }

    private func putNow(
        _ kind: SocketFrame.Kind,
        _ payload: [UInt8],
        _ state: inout Outbound
    ) throws(TransportError) -> UInt64? {
        if let reason = state.closeReason { throw .closed(reason) }
        guard append(kind, payload, &state) else { return nil }
        if kind == .barrier { state.barrierCount += 1 }
        if !state.full.isEmpty, !state.isStuck { passOn(&state, all: false) }
        if !state.isStuck || state.isPeerGone { wakeThread(&state) }
        return state.barrierCount
    }

    //= COC-3: An end MUST NOT send an SDU that is longer than the MTU of the peer.
    /// - Returns: whether one of the two SDUs had room.
    private func append(
        _ kind: SocketFrame.Kind,
        _ payload: [UInt8],
        _ state: inout Outbound
    ) -> Bool {
        let byteCount = L2CAPPacket.headerByteCount + payload.count
        if state.filling.count + byteCount > sduByteCountMax {
            guard state.full.isEmpty else { return false }
            swap(&state.full, &state.filling)
        }
        L2CAPPacket.append(kind, payload, to: &state.filling)
        return true
    }

    private func wakeThread(_ state: inout Outbound) {
        if state.isThreadWoken { return }
        state.isThreadWoken = true
        SocketLoop.shared.wake()
    }

    /// Passes SDUs to the kernel: the full one, or all.
    private func passOn(_ state: inout Outbound, all: Bool) {
        while !state.full.isEmpty || all && !state.filling.isEmpty {
            if state.full.isEmpty { swap(&state.full, &state.filling) }
            switch SocketCalls.send(state.full, to: descriptor) {
            case .sent: state.full.removeAll(keepingCapacity: true)
            case .full:
                state.isStuck = true
                return
            case .peerGone, .failed:
                // The thread reads all data that has arrived, then ends the link.
                state.isPeerGone = true
                state.isStuck = true
                return
            }
        }
    }

    func awaitBarrierAnswer(_ ticket: UInt64) async throws(TransportError) {
        try await outbound.answer(as: .sender) { state throws(TransportError) -> Void? in
            if state.barrierAnswerCount >= ticket { return () }
            if let reason = state.closeReason { throw .closed(reason) }
            return nil
        }
    }

    func awaitEnd() async {
        _ = await outbound.wait(as: .receiver) { state -> Void? in state.isFinished ? () : nil }
    }

    func take() async throws(TransportError) -> [Datagram] { try await inbound.receive() }

    func close(_ reason: CloseReason) {
        outbound.update(waking: .sender) { state in
            if state.closeReason != nil { return }
            state.closeReason = reason
            state.closeDeadline = .now + Self.closeMax
            // Best effort: if no room is left, the peer learns only that this end has gone.
            _ = append(.closing, [SocketFrame.Farewell(reason).rawValue], &state)
        }
        SocketLoop.shared.wake()
    }

    var closeReason: CloseReason? { outbound.read { state in state.closeReason } }

    // MARK: What the loop calls

    func interest() -> SocketInterest? {
        passOnAll()
        return outbound.read { state in
            if let deadline = state.closeDeadline,
                state.isEmpty || state.isPeerGone || ContinuousClock.now >= deadline
            {
                return nil
            }
            return SocketInterest(
                events: state.isStuck && !state.isPeerGone ? POLLIN | POLLOUT : POLLIN,
                // If the peer is gone, `poll` may report no event, so don't wait for an event.
                deadline: state.isPeerGone ? .now : state.closeDeadline
            )
        }
    }

    private func passOnAll() {
        // Wakes the sending task only if there is room again.
        _ = outbound.attempt(thenWaking: .sender) { state -> Void? in
            state.isThreadWoken = false
            giveAnswers(&state)
            if state.isStuck || state.isEmpty { return nil }
            while !state.isStuck, !state.isEmpty {
                passOn(&state, all: true)
                giveAnswers(&state)
            }
            return state.full.isEmpty ? () : nil
        }
    }

    /// Gives as many of the owed answers as the SDUs have room for. The remaining answers follow
    /// once the kernel has taken an SDU.
    private func giveAnswers(_ state: inout Outbound) {
        if state.closeReason != nil { return }
        while state.owedBarrierAnswerCount > 0, append(.barrierAnswer, [], &state) {
            state.owedBarrierAnswerCount -= 1
        }
    }

    func handle(events: Int32) {
        if events & ~POLLIN != 0 {
            outbound.update { state in if !state.isPeerGone { state.isStuck = false } }
        }
        let isPeerGone = outbound.read { state in state.isPeerGone }
        let harvest = reader.withLock { reader in reader.readBatch() }
        if !inbound.put(harvest.datagrams) { close(.overflow) }
        settle(harvest, isPeerGone: isPeerGone || events & (POLLHUP | POLLERR) != 0)
    }

    //= COC-4: When a barrier and all packets before it have been queued for the protocol, an end
    //= MUST answer the barrier.
    private func settle(_ harvest: SocketReader.Harvest, isPeerGone: Bool) {
        let hasAnswers = harvest.barrierAnswerCount > 0
        let ending = outbound.update(waking: hasAnswers ? .sender : .none) {
            state -> CloseReason? in
            // After an overflow, an answer would be wrong: the datagrams are not in the queue.
            if state.closeReason != nil { return nil }
            state.barrierAnswerCount += UInt64(harvest.barrierAnswerCount)
            state.owedBarrierAnswerCount += harvest.owedBarrierAnswerCount
            if state.barrierAnswerCount > state.barrierCount {
                return .failed("The peer responded to a request that was never made.")
            }
            // Close only when drained: data that arrived before the end must still be delivered.
            return isPeerGone && harvest.isDrained ? .remote : nil
        }
        if let ending { close(ending) }
        if case .closed(let reason) = harvest.ending {
            outbound.update { state in state.isPeerGone = true }
            close(reason)
        }
    }

    /// Closes the descriptor and releases all waiting tasks.
    func finish() {
        let reason = outbound.update(waking: .both) { state in
            _ = Glibc.close(descriptor)
            state.isFinished = true
            let reason = state.closeReason ?? .local
            state.closeReason = reason
            return reason
        }
        inbound.end(reason)
    }
}
