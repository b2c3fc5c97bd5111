import BLEOTACore

extension RadioLink {
    /// An ATT PDU.
    struct PDU {
        enum Content {
            case value(Token, Operation)
            case mtuRequest
            case response
        }

        let content: Content
        let byteCount: Int
        /// The length of the value that leaves its host's queue with this PDU.
        var valueByteCount: Int?

        /// A write response, which has no parameters (Bluetooth Core 5.4, volume 3, part F,
        /// 3.4.5.2).
        static var writeResponse: PDU { PDU(content: .response, byteCount: 1) }

        /// An MTU request: an opcode and a number of two bytes, like its response (volume 3, part
        /// F, 3.4.2.1 and 3.4.2.2).
        static var mtuRequest: PDU { PDU(content: .mtuRequest, byteCount: 3) }

        static var mtuResponse: PDU { PDU(content: .response, byteCount: 3) }
    }

    /// An L2CAP frame.
    struct Frame {
        enum Content {
            /// A part of a PDU other than the last.
            case segment
            /// A PDU, or the last part of it.
            case pdu(PDU.Content)
            case credits(count: Int, bearer: Int)
        }

        let content: Content
        let bearer: Int
        var valueByteCount: Int?
        /// The number of bytes that remain to be sent.
        var byteCount: Int
    }

    /// The state of a bearer at one end.
    struct Bearer {
        let isEnhanced: Bool
        var frames = Fifo<Frame>()
        var isRequestOutstanding = false
        /// The number of frames that the peer still accepts. If it is negative, that many of the
        /// last frames wait for credits. Unused on the unenhanced bearer.
        var credit: Int
        /// The number of frames received since credits were last returned to the peer.
        var takenFrameCount = 0

        /// Whether a host can write to the bearer, which Linux permits as long as there are
        /// credits (`suspend` in `l2cap_chan_send` of net/bluetooth/l2cap_core.c).
        var isWritable: Bool { !isEnhanced || credit > 0 }

        var hasFrameToSend: Bool {
            guard isEnhanced, credit < 0 else { return !frames.isEmpty }
            return frames.count + credit > 0
        }
    }

    /// The state of one end of the link.
    struct Side {
        /// The bearers; the unenhanced one comes first.
        var bearers: [Bearer]
        /// The frames of the signaling channel, which returns credits. Linux sends them before
        /// all others (`l2cap_send_cmd` of net/bluetooth/l2cap_core.c).
        var signals = Fifo<Frame>()
        var waitingRequests = Fifo<PDU>()
        /// The frame whose packets are being sent.
        var present: Frame?
        var sentCount = 0
        /// Whether the peer has received the first packet, but its acknowledgement has not
        /// arrived.
        var isFirstPacketKnown = false
        /// The time at which this end last received an intact packet.
        var heardAt: Instant
        private(set) var queuedValueCount = 0
        private(set) var queuedByteCount = 0
        private(set) var queuedByteCountMax = 0
        private var lastWrittenBearer = 0
        private var lastSentBearer = 0
        private let packetByteCountMax: Int

        init(_ settings: RadioSettings, at moment: Instant) {
            heardAt = moment
            packetByteCountMax = settings.packetByteCountMax
            let enhanced = settings.enhancedBearers
            bearers = [Bearer(isEnhanced: false, credit: 0)]
            for _ in 0..<(enhanced?.count ?? 0) {
                bearers.append(Bearer(isEnhanced: true, credit: enhanced?.creditCount ?? 0))
            }
        }

        /// Whether there is a packet to send.
        var hasPacket: Bool {
            present != nil || bearers[0].hasFrameToSend || !signals.isEmpty
                || bearers.contains(where: \.hasFrameToSend)
        }

        /// Selects the next writable bearer in turn. The unenhanced one is always writable, and
        /// comes last: BlueZ tries the others first (`bt_att_attach_chan` of src/shared/att.c).
        mutating func takeNextBearer() -> Int {
            lastWrittenBearer = next(after: lastWrittenBearer) { bearers[$0].isWritable } ?? 0
            return lastWrittenBearer
        }

        /// The next bearer in turn that can carry a request; `nil` if all are busy.
        var bearerForRequest: Int? {
            next(after: lastWrittenBearer) {
                bearers[$0].isWritable && !bearers[$0].isRequestOutstanding
            }
        }

        /// Records that a bearer carries a request.
        mutating func begin(requestOn bearer: Int) {
            lastWrittenBearer = bearer
            bearers[bearer].isRequestOutstanding = true
        }

        /// Selects the next frame to send, unless one is being sent: first frames of the
        /// signaling channel, then those of the bearers in turn.
        mutating func beginFrame() {
            guard present == nil else { return }
            if !signals.isEmpty {
                present = signals.removeFirst()
            } else if let bearer = next(
                after: lastSentBearer,
                where: {
                    bearers[$0].hasFrameToSend
                }
            ) {
                lastSentBearer = bearer
                present = bearers[bearer].frames.removeFirst()
            }
        }

        /// The length of the next packet; 0 if there is no frame.
        var firstPacketByteCount: Int { min(present?.byteCount ?? 0, packetByteCountMax) }

        /// Whether the next packet is the last of its frame.
        var isFirstPacketLast: Bool { (present?.byteCount ?? 0) <= packetByteCountMax }

        /// Removes the first packet. The last packet of a value also removes the value from the
        /// queue.
        mutating func endPacket() {
            isFirstPacketKnown = false
            guard isFirstPacketLast else {
                let sentByteCount = packetByteCountMax
                present?.byteCount -= sentByteCount
                return
            }
            defer { present = nil }
            guard let byteCount = present?.valueByteCount else { return }
            queuedByteCount -= byteCount
            queuedValueCount -= 1
        }

        /// Counts a value that the host has queued for sending.
        mutating func note(queuedValueOf byteCount: Int) {
            queuedValueCount += 1
            queuedByteCount += byteCount
            queuedByteCountMax = max(queuedByteCountMax, queuedByteCount)
        }

        private func next(after bearer: Int, where isFit: (Int) -> Bool) -> Int? {
            // In most cases there is only one bearer.
            if bearers.count == 1 { return isFit(0) ? 0 : nil }
            for offset in 1...bearers.count where isFit((bearer + offset) % bearers.count) {
                return (bearer + offset) % bearers.count
            }
            return nil
        }
    }
}
