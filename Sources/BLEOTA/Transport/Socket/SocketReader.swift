import Glibc

/// Reads and checks the packets from a socket. Only the I/O thread uses it, so it needs no lock.
struct SocketReader: ~Copyable {
    /// The result of one wake-up.
    struct Harvest {
        var datagrams: [Datagram] = []
        /// How many datagrams with response, and how many barriers, the peer has sent. They are
        /// answered once the datagrams are in the inbound queue.
        var owedResponseCount = 0
        var owedBarrierAnswerCount = 0
        /// How many responses, and how many barrier answers, the peer has sent.
        var responseCount = 0
        var barrierAnswerCount = 0
        /// Whether the kernel has nothing more to read at present.
        var isDrained = false
        var ending: Ending?
    }

    enum Ending: Error, Hashable {
        case closed(CloseReason)
        /// The link never came up.
        case refused(SocketError)

        static func violation(_ sentence: String) -> Ending { .closed(.failed(sentence)) }
    }

    /// The maximum number of datagrams in a batch, large enough to be efficient and small enough
    /// that answers never wait long.
    static let batchCountMax = 64
    /// Longer than any valid datagram, so that an overlong one is recognized.
    private static let bufferByteCount = 1024

    /// The limits on which both ends agreed; `nil` until the peer's hello has arrived.
    private(set) var limits: TransportLimits?

    private let descriptor: Int32
    private let attMTU: Int
    private let buffer: UnsafeMutableRawBufferPointer

    init(descriptor: Int32, attMTU: Int) {
        self.descriptor = descriptor
        self.attMTU = attMTU
        buffer = .allocate(byteCount: Self.bufferByteCount, alignment: 1)
    }

    deinit { buffer.deallocate() }

    /// Reads the available datagrams, at most ``batchCountMax``. The harvest contains everything
    /// that arrived before an ending.
    mutating func readBatch() -> Harvest {
        var harvest = Harvest()
        do throws(Ending) {
            for _ in 0..<Self.batchCountMax {
                guard let byteCount = try nextByteCount() else {
                    harvest.isDrained = true
                    break
                }
                try absorb(byteCount: byteCount, into: &harvest)
            }
        } catch {
            harvest.ending = error
        }
        return harvest
    }

    /// Reads one datagram into the buffer and returns its length; `nil` if there is none.
    private func nextByteCount() throws(Ending) -> Int? {
        var outcome = SocketCalls.receive(into: buffer, from: descriptor)
        // A peer that closes without reading everything resets the connection. Linux reports the
        // reset once, before the peer's remaining datagrams, and then delivers all of them.
        if outcome == .peerGone { outcome = SocketCalls.receive(into: buffer, from: descriptor) }
        switch outcome {
        case .received(let byteCount): return byteCount
        case .nothingThere: return nil
        case .peerGone: throw departure
        case .nothingOrEnd:
            if SocketCalls.hasHungUp(descriptor) { throw departure }
            throw .violation(
                "The peer sent an empty packet, or closed only its sending side."
            )
        case .failed(let errno):
            throw .violation("The system failed to read from the socket: \(errno).")
        }
    }

    private var departure: Ending {
        limits == nil ? .refused(.peerLeft) : .closed(.remote)
    }

    //= SOCKET-4: An end MUST close the socket if the peer sends one of these: an empty packet; a
    //= packet that the table does not list; a frame that is empty or too long for the link; a
    //= payload whose length is not that of its kind; a second hello; a response without a frame
    //= that asked for one; an answer to a barrier that was not sent.
    private mutating func absorb(
        byteCount: Int,
        into harvest: inout Harvest
    ) throws(Ending) {
        guard let limits else { return try greet(byteCount: byteCount) }
        guard let kind = SocketFrame.Kind(rawValue: buffer[0]) else {
            throw .violation("The peer sent a packet of unknown kind \(buffer[0]).")
        }
        switch kind {
        case .control, .controlWithResponse, .data, .dataWithResponse:
            let isControl = kind == .control || kind == .controlWithResponse
            let channel: Datagram.Channel = isControl ? .control : .data
            try check(byteCount - 1, 1...limits.byteCountMax(on: channel), kind)
            harvest.datagrams.append(
                Datagram(channel: channel, bytes: Array(buffer[1..<byteCount]))
            )
            if kind == .controlWithResponse || kind == .dataWithResponse {
                harvest.owedResponseCount += 1
            }
        case .response:
            try check(byteCount - 1, 0...0, kind)
            harvest.responseCount += 1
        case .barrier:
            try check(byteCount - 1, 0...0, kind)
            harvest.owedBarrierAnswerCount += 1
        case .barrierAnswer:
            try check(byteCount - 1, 0...0, kind)
            harvest.barrierAnswerCount += 1
        case .closing:
            try check(byteCount - 1, 1...1, kind)
            throw .closed(SocketFrame.Farewell(rawValue: buffer[1])?.closeReason ?? .remote)
        case .hello:
            throw .violation("The peer sent its hello twice.")
        }
    }

    private mutating func greet(byteCount: Int) throws(Ending) {
        do throws(SocketError) {
            let bytes = buffer[..<min(byteCount, buffer.count)]
            let peersATTMTU = try SocketFrame.parseHello(bytes)
            // Both ends get the same result. Every ATT bearer can carry an ATT_MTU of 23.
            limits = TransportLimits(attMTU: max(23, min(attMTU, peersATTMTU)))
        } catch {
            throw .refused(error)
        }
    }

    private func check(
        _ byteCount: Int,
        _ allowed: ClosedRange<Int>,
        _ kind: SocketFrame.Kind
    ) throws(Ending) {
        if allowed.contains(byteCount) { return }
        throw .violation(
            "The peer sent a \(kind) datagram of \(byteCount) bytes, but \(allowed.lowerBound) to "
                + "\(allowed.upperBound) are allowed."
        )
    }
}
