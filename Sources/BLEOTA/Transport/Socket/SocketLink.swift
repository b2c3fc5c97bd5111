import BLEOTACore
import Glibc
import Synchronization
import SystemPackage

/// The engine of one socket link: the state that the tasks and the ``SocketLoop`` share.
///
/// Tasks send directly to the kernel. The loop's thread reads, answers, and wakes waiting tasks
/// when there is room again. Only the thread fills ``inbound``, and only it closes the descriptor,
/// once the close reason is set under the lock of ``outbound``. No task therefore ever uses a
/// closed descriptor, and every caller gets the same reason.
///
/// The loop keeps this object alive until ``close(_:)`` is called.
final class SocketLink: WatchedSocket {
    private struct Outbound {
        var closeReason: CloseReason?
        /// Whether a task found the socket buffer full. The thread must then wait until the buffer
        /// has room.
        var isStuck = false
        /// Whether the kernel reported that the peer no longer reads. The thread reads all
        /// remaining data, then finds out why.
        var isPeerGone = false
        /// Counters since the link came up; at 64 bits, they never overflow.
        var requestCount: UInt64 = 0
        var responseCount: UInt64 = 0
        var barrierCount: UInt64 = 0
        var barrierAnswerCount: UInt64 = 0
        /// Answers owed to the peer, for which the socket buffer had no room.
        var owedResponseCount = 0
        var owedBarrierAnswerCount = 0
    }

    /// The result of the peer's hello.
    private struct Greeting {
        var limits: TransportLimits?
        var refusal: SocketError?
    }

    let descriptor: Int32
    private let helloTimeout: Duration
    private let helloDeadline: ContinuousClock.Instant
    /// Called once, on the loop's thread: with the limits, or with `nil` if the peer never sent a
    /// hello.
    private let onGreeting: (@Sendable (SocketLink, TransportLimits?) -> Void)?
    /// Used only by the loop's thread.
    private let reader: Mutex<SocketReader>
    private let outbound = Monitor(Outbound())
    private let greeting = Monitor(Greeting())
    private let inbound: DatagramQueue

    private init(
        _ descriptor: Int32,
        attMTU: Int,
        inboundLimit: Int,
        helloTimeout: Duration,
        onGreeting: (@Sendable (SocketLink, TransportLimits?) -> Void)?
    ) {
        self.descriptor = descriptor
        inbound = DatagramQueue(limit: inboundLimit)
        self.helloTimeout = helloTimeout
        helloDeadline = .now + helloTimeout
        self.onGreeting = onGreeting
        reader = Mutex(SocketReader(descriptor: descriptor, attMTU: attMTU))
    }

    /// Takes over a connected socket, sends a hello and has the loop watch the socket. If that
    /// fails, the descriptor is closed.
    static func start(
        _ descriptor: Int32,
        attMTU: Int,
        inboundLimit: Int,
        helloTimeout: Duration,
        onGreeting: (@Sendable (SocketLink, TransportLimits?) -> Void)? = nil
    ) throws(SocketError) -> SocketLink {
        do throws(SocketError) {
            let link = SocketLink(
                descriptor,
                attMTU: attMTU,
                inboundLimit: inboundLimit,
                helloTimeout: helloTimeout,
                onGreeting: onGreeting
            )
            //= SOCKET-1: An end MUST send hello as its first packet, at once and without waiting
            //= for the hello of the peer. It MUST NOT send another hello.
            let hello = SocketFrame.helloPayload(attMTU: attMTU)
            switch SocketCalls.send(SocketFrame.Kind.hello.rawValue, hello, to: descriptor) {
            case .sent, .full, .peerGone: break  // The loop finds out what became of the peer.
            case .failed(let errno): throw .system(call: "sendmsg", errno)
            }
            try SocketLoop.shared.watch(link)
            return link
        } catch {
            _ = Glibc.close(descriptor)
            throw error
        }
    }

    // MARK: What tasks call

    /// Waits for the peer's hello.
    func awaitHello() async throws(SocketError) -> TransportLimits {
        let limits = try await greeting.wait(as: .receiver) {
            state throws(SocketError) -> TransportLimits? in
            if let refusal = state.refusal { throw refusal }
            return state.limits
        }
        guard let limits else {
            close(.local)
            throw .cancelled
        }
        return limits
    }

    /// Waits for room in the socket buffer and puts a datagram into the buffer.
    ///
    /// - Returns: for a barrier, the number of barriers sent so far, which is the ticket for
    ///   ``awaitBarrierAnswer(_:)``. For a datagram with response, the number of such datagrams
    ///   sent so far, which is the ticket for ``awaitResponse(_:)``. Otherwise 0.
    func put(
        _ kind: SocketFrame.Kind,
        _ payload: [UInt8]
    ) async throws(TransportError) -> UInt64 {
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
        if state.isPeerGone { return nil }
        switch SocketCalls.send(kind.rawValue, payload, to: descriptor) {
        case .sent:
            switch kind {
            case .controlWithResponse, .dataWithResponse:
                state.requestCount += 1
                return state.requestCount
            case .barrier:
                state.barrierCount += 1
                return state.barrierCount
            default:
                return 0
            }
        case .full:
            state.isStuck = true
        case .peerGone:
            state.isPeerGone = true
        case .failed(let errno):
            let reason = CloseReason.failed("The system failed to send: \(errno).")
            state.closeReason = reason
            SocketLoop.shared.wake()
            throw .closed(reason)
        }
        SocketLoop.shared.wake()
        return nil
    }

    func awaitResponse(_ ticket: UInt64) async throws(TransportError) {
        try await awaitAnswer { state in state.responseCount >= ticket }
    }

    func awaitBarrierAnswer(_ ticket: UInt64) async throws(TransportError) {
        try await awaitAnswer { state in state.barrierAnswerCount >= ticket }
    }

    private func awaitAnswer(
        _ isAnswered: (borrowing Outbound) -> Bool
    ) async throws(TransportError) {
        try await outbound.answer(as: .sender) { state throws(TransportError) -> Void? in
            if isAnswered(state) { return () }
            if let reason = state.closeReason { throw .closed(reason) }
            return nil
        }
    }

    func take() async throws(TransportError) -> [Datagram] {
        try await inbound.receive()
    }

    func close(_ reason: CloseReason) {
        outbound.update(waking: .sender) { state in
            state.closeReason = state.closeReason ?? reason
        }
        SocketLoop.shared.wake()
    }

    var closeReason: CloseReason? { outbound.read { state in state.closeReason } }

    // MARK: What the loop calls

    func interest() -> SocketInterest? {
        let isGreeted = greeting.read { state in state.limits != nil }
        return outbound.read { state in
            if state.closeReason != nil { return nil }
            let isWaitingForRoom =
                state.isStuck || state.owedResponseCount > 0 || state.owedBarrierAnswerCount > 0
            return SocketInterest(
                events: isWaitingForRoom ? POLLIN | POLLOUT : POLLIN,
                // If the peer has only stopped reading, `poll` reports no event after its last
                // datagram, so don't wait for an event.
                deadline: state.isPeerGone ? .now : isGreeted ? nil : helloDeadline
            )
        }
    }

    //= SOCKET-2: An end MUST close the socket if the first packet of the peer is not a hello of
    //= this version, or does not arrive within 5 seconds.
    func handle(events: Int32) {
        let isPeerGone = outbound.read { state in state.isPeerGone }
        if events & ~POLLIN != 0 {
            outbound.update(waking: .sender) { state in state.isStuck = false }
        }
        let (harvest, limits) = reader.withLock { reader in (reader.readBatch(), reader.limits) }
        deliver(harvest, limits, isPeerGone: isPeerGone)
        if limits == nil, ContinuousClock.now >= helloDeadline {
            end(.refused(.peerSilent(helloTimeout)))
        }
    }

    /// Queues the datagrams of a harvest, then sends the answers, which promise that the datagrams
    /// are in the queue.
    ///
    /// - Parameter isPeerGone: whether the peer was known to be gone before the harvest.
    private func deliver(
        _ harvest: SocketReader.Harvest,
        _ limits: TransportLimits?,
        isPeerGone: Bool
    ) {
        queue(harvest.datagrams, limits)
        settle(harvest, isPeerGone: isPeerGone)
        if let ending = harvest.ending { end(ending) }
    }

    private func queue(_ datagrams: [Datagram], _ limits: TransportLimits?) {
        let isNew = greeting.read { state in state.limits != limits }
        if isNew { greeting.update(waking: .receiver) { state in state.limits = limits } }
        if !inbound.put(datagrams) { close(.overflow) }
        if isNew { onGreeting?(self, limits) }
    }

    //= SOCKET-3: When a frame with response and all packets before it have been queued for the
    //= protocol, an end MUST answer the frame with a response. When a barrier and all packets
    //= before it have been queued, an end MUST answer the barrier.
    private func settle(_ harvest: SocketReader.Harvest, isPeerGone: Bool) {
        let hasAnswers = harvest.responseCount + harvest.barrierAnswerCount > 0
        outbound.update(waking: hasAnswers ? .sender : .none) { state in
            // After an overflow, an answer would be wrong: the datagrams are not in the queue.
            if state.closeReason != nil { return }
            state.responseCount += UInt64(harvest.responseCount)
            state.barrierAnswerCount += UInt64(harvest.barrierAnswerCount)
            state.owedResponseCount += harvest.owedResponseCount
            state.owedBarrierAnswerCount += harvest.owedBarrierAnswerCount
            while state.owedResponseCount > 0, answer(.response, &state) {
                state.owedResponseCount -= 1
            }
            while state.owedBarrierAnswerCount > 0, answer(.barrierAnswer, &state) {
                state.owedBarrierAnswerCount -= 1
            }
            if state.responseCount > state.requestCount
                || state.barrierAnswerCount > state.barrierCount
            {
                state.closeReason = .failed("The peer responded to a request that was never made.")
            } else if isPeerGone, harvest.isDrained {
                // Close only when drained: data that arrived before the hang-up must still be
                // delivered.
                state.closeReason = state.closeReason ?? .remote
            }
        }
    }

    /// - Returns: whether the answer was sent. If the socket buffer is full, the answer is sent
    ///   later.
    private func answer(_ kind: SocketFrame.Kind, _ state: inout Outbound) -> Bool {
        switch SocketCalls.send(kind.rawValue, [], to: descriptor) {
        case .sent: return true
        case .full: return false
        case .peerGone:
            state.isPeerGone = true
            return false
        case .failed(let errno):
            state.closeReason = .failed("The system failed to send: \(errno).")
            return false
        }
    }

    private func end(_ ending: SocketReader.Ending) {
        switch ending {
        case .closed(let reason):
            close(reason)
        case .refused(let error):
            greeting.update { state in state.refusal = state.refusal ?? error }
            close(.failed(error.description))
        }
    }

    /// Notifies the peer, closes the descriptor and releases all waiting tasks.
    func finish() {
        let reason = outbound.update(waking: .sender) { state in
            let reason = state.closeReason ?? .local
            // Best effort: if the socket buffer is full, the peer learns only that this end has
            // gone.
            let farewell = [SocketFrame.Farewell(reason).rawValue]
            _ = SocketCalls.send(SocketFrame.Kind.closing.rawValue, farewell, to: descriptor)
            _ = Glibc.close(descriptor)
            state.closeReason = reason
            return reason
        }
        let isGreeted = greeting.update(waking: .receiver) { state in
            if state.limits == nil { state.refusal = state.refusal ?? .peerLeft }
            return state.limits != nil
        }
        if !isGreeted { onGreeting?(self, nil) }
        inbound.end(reason)
    }
}
