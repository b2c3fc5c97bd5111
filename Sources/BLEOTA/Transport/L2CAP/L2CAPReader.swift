import Glibc

/// Reads and checks the SDUs from a channel. Only the I/O thread uses it, so it needs no lock.
struct L2CAPReader: ~Copyable {
    /// The maximum number of SDUs in a batch. Other links are served between two batches. An SDU of
    /// 8 KiB holds as many datagrams as 16 packets of a Unix socket, whose batches have 64 packets.
    static let batchCountMax = 8

    private let descriptor: Int32
    private let frameByteCountMax: Int
    private let sduByteCountMax: Int
    private let buffer: UnsafeMutableRawBufferPointer
    /// The length of the first part of a packet that is split between two SDUs. That part is at the
    /// start of the buffer.
    private var restByteCount = 0

    init(descriptor: Int32, frameByteCountMax: Int, sduByteCountMax: Int) {
        self.descriptor = descriptor
        self.frameByteCountMax = frameByteCountMax
        self.sduByteCountMax = sduByteCountMax
        let packetByteCountMax = L2CAPPacket.headerByteCount + frameByteCountMax
        buffer = .allocate(byteCount: packetByteCountMax + sduByteCountMax, alignment: 1)
    }

    deinit { buffer.deallocate() }

    /// Reads the available SDUs, at most ``batchCountMax``. The harvest contains everything that
    /// arrived before an ending.
    mutating func readBatch() -> SocketReader.Harvest {
        var harvest = SocketReader.Harvest()
        do throws(SocketReader.Ending) {
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

    /// Reads one SDU into the buffer, after the first part of a split packet, and returns the
    /// length; `nil` if there is none.
    private func nextByteCount() throws(SocketReader.Ending) -> Int? {
        let room = UnsafeMutableRawBufferPointer(
            rebasing: buffer[restByteCount..<restByteCount + sduByteCountMax]
        )
        var outcome = SocketCalls.receive(into: room, from: descriptor)
        // Linux reports once why a connection has ended, before the SDUs that are still unread, and
        // then delivers all of them.
        switch outcome {
        case .peerGone, .failed: outcome = SocketCalls.receive(into: room, from: descriptor)
        default: break
        }
        switch outcome {
        case .received(let byteCount):
            guard byteCount <= sduByteCountMax else {
                throw .violation("The peer sent an SDU of \(byteCount) bytes.")
            }
            return byteCount
        case .nothingThere: return nil
        // A lost connection is reported as one of several errors.
        case .nothingOrEnd, .peerGone, .failed: throw .closed(.remote)
        }
    }

    //= COC-3: An end MUST NOT send an SDU that is longer than the MTU of the peer. An end MUST
    //= accept a packet that is divided between SDUs.
    private mutating func absorb(
        byteCount: Int,
        into harvest: inout SocketReader.Harvest
    ) throws(SocketReader.Ending) {
        let end = restByteCount + byteCount
        let taken = try takePackets(
            of: UnsafeRawBufferPointer(rebasing: buffer[..<end]),
            into: &harvest
        )
        restByteCount = end - taken
        buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[taken..<end]))
    }

    //= COC-5: An end MUST close the channel if the peer sends one of these packets: a packet that
    //= is empty or too long; a packet that the table does not list; a frame that is empty; a
    //= payload whose length is not that of its kind; an answer to a barrier that was not sent.
    private func takePackets(
        of bytes: UnsafeRawBufferPointer,
        into harvest: inout SocketReader.Harvest
    ) throws(SocketReader.Ending) -> Int {
        try L2CAPPacket.forEach(in: bytes, byteCountMax: 1 + frameByteCountMax) {
            number,
            payload throws(SocketReader.Ending) in
            let kind = SocketFrame.Kind(rawValue: number)
            switch kind {
            case .control, .data:
                let channel: Datagram.Channel = kind == .control ? .control : .data
                try check(payload, 1...frameByteCountMax)
                harvest.datagrams.append(Datagram(channel: channel, bytes: Array(payload)))
            case .barrier:
                try check(payload, 0...0)
                harvest.owedBarrierAnswerCount += 1
            case .barrierAnswer:
                try check(payload, 0...0)
                harvest.barrierAnswerCount += 1
            case .closing:
                try check(payload, 1...1)
                throw .closed(SocketFrame.Farewell(rawValue: payload[0])?.closeReason ?? .remote)
            case .hello, .controlWithResponse, .dataWithResponse, .response, nil:
                throw .violation("The peer sent a packet of unknown kind \(number).")
            }
        }
    }

    private func check(
        _ payload: UnsafeRawBufferPointer,
        _ allowed: ClosedRange<Int>
    ) throws(SocketReader.Ending) {
        if allowed.contains(payload.count) { return }
        throw .violation(
            "The peer sent a payload of \(payload.count) bytes, but \(allowed.lowerBound) to "
                + "\(allowed.upperBound) are allowed."
        )
    }
}
