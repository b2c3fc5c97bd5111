import Glibc

/// The engine of one serial link: the state that the tasks and the I/O thread share.
///
/// Tasks write directly to the kernel. If the kernel doesn't take a whole packet at once, the rest
/// is kept here and written by the thread, so a cancelled task never cuts a packet short. The
/// thread reads, and wakes waiting tasks when there is room again. Only the thread closes the port,
/// after the close reason has been set under the lock of ``outbound``. After that, no task uses the
/// port.
///
/// The thread keeps this object alive until ``close(_:)`` ends the thread.
package final class SerialLink: Sendable {
    private struct Outbound {
        var closeReason: CloseReason?
        /// The part of the latest packet that the kernel has not taken yet.
        var rest: ArraySlice<UInt8> = []
        /// Whether the kernel has stopped accepting data. The thread reads all remaining data, then
        /// finds out why.
        var isGone = false
        /// Counters since the link came up; at 64 bits, they never overflow.
        var flushCount: UInt64 = 0
        var flushedCount: UInt64 = 0

        var isFlushing: Bool { flushedCount < flushCount && rest.isEmpty }
    }

    /// The events for which the thread waits, and how long it waits for them.
    private struct Interest {
        var events: Int32
        var milliseconds: Int32
        var isGone: Bool
    }

    /// How long a closed link still tries to send the rest of a packet. At 9,600 baud the longest
    /// packet, with every byte escaped, takes 1.1 s.
    private static let lingerLimit: Duration = .seconds(2)

    private let port: SerialPort
    private let wakePipe: WakePipe
    private let outbound = Monitor(Outbound())
    private let inbound: DatagramQueue
    private let framing: any SerialFraming
    private let hasEnded = Monitor(false)

    private init(
        _ port: SerialPort,
        _ wakePipe: WakePipe,
        _ framing: any SerialFraming,
        inboundLimit: Int
    ) {
        self.port = port
        self.framing = framing
        self.wakePipe = wakePipe
        inbound = DatagramQueue(limit: inboundLimit)
    }

    /// Takes over a port and starts the thread. If that fails, the port is closed.
    static func start(
        _ port: SerialPort,
        _ framing: any SerialFraming = SLIPFraming(),
        inboundLimit: Int
    ) throws(SerialError) -> SerialLink {
        do throws(SocketError) {
            let link = SerialLink(port, try WakePipe(), framing, inboundLimit: inboundLimit)
            try IOThread.start { link.run() }
            return link
        } catch {
            port.close()
            throw SerialError(error)
        }
    }

    /// Opens a line whose framing is not bleota's own.
    package static func open(
        _ address: SerialAddress,
        framing: any SerialFraming,
        inboundLimit: Int
    ) throws(SerialError) -> SerialLink {
        try start(SerialPort.open(address), framing, inboundLimit: inboundLimit)
    }

    // MARK: What tasks call

    /// Waits until the kernel has taken the previous packet, then passes this one to the kernel.
    /// The thread writes the part for which the kernel has no room.
    package func put(_ packet: [UInt8]) async throws(TransportError) {
        if Task.isCancelled { throw .cancelled }
        let now: Void? = try outbound.attempt { state throws(TransportError) -> Void? in
            try putNow(packet, &state)
        }
        if now != nil { return }
        try await wait { state throws(TransportError) -> Void? in try putNow(packet, &state) }
    }

    private func putNow(
        _ packet: [UInt8],
        _ state: inout Outbound
    ) throws(TransportError) -> Void? {
        if let reason = state.closeReason { throw .closed(reason) }
        guard state.rest.isEmpty, !state.isGone else { return nil }
        state.rest = packet[...]
        write(&state)
        if let reason = state.closeReason { throw .closed(reason) }
        return state.isGone ? nil : ()
    }

    /// Waits until the kernel has taken everything that was put in.
    func awaitRoom() async throws(TransportError) {
        try await wait { state throws(TransportError) -> Void? in
            if let reason = state.closeReason { throw .closed(reason) }
            return state.rest.isEmpty && !state.isGone ? () : nil
        }
    }

    /// Waits until everything that was put in is on the line.
    package func flush() async throws(TransportError) {
        if Task.isCancelled { throw .cancelled }
        let ticket = outbound.update { state in
            state.flushCount += 1
            return state.flushCount
        }
        wakePipe.wake()
        try await wait { state throws(TransportError) -> Void? in
            if let reason = state.closeReason { throw .closed(reason) }
            return state.flushedCount >= ticket ? () : nil
        }
    }

    private func wait(
        until attempt: (inout Outbound) throws(TransportError) -> Void?
    ) async throws(TransportError) {
        let answer: Void? = try await outbound.wait(as: .sender, until: attempt)
        if answer == nil { throw .cancelled }
    }

    package func take() async throws(TransportError) -> [Datagram] {
        try await inbound.receive()
    }

    package func close(_ reason: CloseReason) {
        outbound.update(waking: .sender) { state in
            state.closeReason = state.closeReason ?? reason
        }
        wakePipe.wake()
    }

    package var closeReason: CloseReason? { outbound.read { state in state.closeReason } }

    /// Waits until the link has ended and has released the port, or the task is cancelled.
    package func awaitEnd() async {
        let _: Void? = await hasEnded.wait(as: .receiver) { hasEnded in hasEnded ? () : nil }
    }

    // MARK: What both do

    /// Passes as much of the rest to the kernel as the kernel accepts.
    private func write(_ state: inout Outbound) {
        while !state.rest.isEmpty {
            switch port.write(state.rest) {
            case .moved(let byteCount):
                state.rest.removeFirst(byteCount)
                continue
            case .wouldBlock:
                break
            case .gone:
                state.isGone = true
                state.rest = []
            case .failed(let errno):
                state.closeReason =
                    state.closeReason ?? .failed("The system failed to send: \(errno).")
                state.rest = []
            }
            // The thread must wait until the kernel has room, or end the link.
            wakePipe.wake()
            return
        }
    }

    // MARK: What the I/O thread does

    private func run() {
        var reader = SerialReader(port, framing)
        while let interest = nextInterest() {
            let ready = wakePipe.wait(
                for: port.descriptor,
                events: interest.events,
                milliseconds: interest.milliseconds
            )
            if ready & ~POLLIN != 0 { writeRest() }
            deliver(reader.readBatch(), isGone: interest.isGone)
            settleFlush()
        }
        finish()
    }

    /// What the thread waits for next, or `nil` once the link has ended.
    private func nextInterest() -> Interest? {
        outbound.read { state in
            if state.closeReason != nil { return nil }
            return Interest(
                events: state.rest.isEmpty ? POLLIN : POLLIN | POLLOUT,
                milliseconds: state.isGone ? 0 : state.isFlushing ? millisecondsToSend : -1,
                isGone: state.isGone
            )
        }
    }

    /// How long the kernel needs to send its queue. No event reports that the queue is empty.
    private var millisecondsToSend: Int32 {
        guard let rate = port.baudRate else { return 0 }
        // Rounded up, so that the thread doesn't spin during the last millisecond.
        return Int32(clamping: port.unsentByteCount * 10_000 / rate.bitsPerSecond + 1)
    }

    private func writeRest() {
        outbound.update(waking: .sender) { state in write(&state) }
    }

    private func deliver(_ harvest: SerialReader.Harvest, isGone: Bool) {
        if !inbound.put(harvest.datagrams) { close(.overflow) }
        if let ending = harvest.ending {
            close(ending)
        } else if isGone, harvest.isDrained {
            // Close only when drained: data that arrived before the hang-up must still be
            // delivered.
            close(port.departure)
        }
    }

    /// Completes flushes once the kernel has nothing more to send.
    private func settleFlush() {
        let flushCount = outbound.read { state in state.isFlushing ? state.flushCount : nil }
        guard let flushCount, port.unsentByteCount == 0 else { return }
        port.drain()
        outbound.update(waking: .sender) { state in state.flushedCount = flushCount }
    }

    /// Releases all waiting tasks, sends the rest of a packet that was begun, and closes the port.
    private func finish() {
        let reason = outbound.read { state in state.closeReason ?? .local }
        inbound.end(reason)
        let deadline = ContinuousClock.now + Self.lingerLimit
        while outbound.read({ state in !state.rest.isEmpty }), ContinuousClock.now < deadline {
            let left = (deadline - .now) / .milliseconds(1)
            let ready = wakePipe.wait(
                for: port.descriptor,
                events: POLLOUT,
                milliseconds: Int32(max(0, left)) + 1
            )
            // If a write would block, it signals the wake pipe. After such a wake-up, which makes
            // `ready` 0, there is no more room than before.
            if ready != 0 { writeRest() }
        }
        port.close()
        wakePipe.close()
        hasEnded.update(waking: .receiver) { hasEnded in hasEnded = true }
    }
}
