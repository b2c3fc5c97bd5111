import BLEOTACore

extension RadioLink {
    /// A PDU of ATT.
    struct PDU {
        enum Content {
            case value(Token, Operation)
            case mtuRequest
            case response
        }

        let content: Content
        let byteCount: Int
        /// Of the value that leaves its host's queue with it.
        var valueByteCount: Int?

        /// The response to a write has no parameters (Bluetooth Core 5.4, volume 3, part F,
        /// 3.4.5.2).
        static var writeResponse: PDU { PDU(content: .response, byteCount: 1) }

        /// Opcode and a number of two bytes, as its response (volume 3, part F, 3.4.2.1 and
        /// 3.4.2.2).
        static var mtuRequest: PDU { PDU(content: .mtuRequest, byteCount: 3) }

        static var mtuResponse: PDU { PDU(content: .response, byteCount: 3) }
    }

    /// A frame of L2CAP.
    struct Frame {
        enum Content {
            /// A part of a PDU that is not the last.
            case segment
            /// A PDU, or the last part of it.
            case pdu(PDU.Content)
            case credits(count: Int, bearer: Int)
        }

        let content: Content
        let bearer: Int
        var valueByteCount: Int?
        /// What is still to be sent of it.
        var byteCount: Int
    }

    /// One end's part of a bearer.
    struct Bearer {
        let isEnhanced: Bool
        var frames = Fifo<Frame>()
        var isRequestOutstanding = false
        /// How many frames the other end still takes; below 0 as many of the last ones wait for
        /// credit. Of no meaning on the unenhanced bearer.
        var credit: Int
        /// How many frames came since the other end last got credit.
        var takenFrameCount = 0

        /// Whether a host can write to it: Linux lets it as long as there is credit (`suspend` in
        /// `l2cap_chan_send` of net/bluetooth/l2cap_core.c).
        var isWritable: Bool { !isEnhanced || credit > 0 }

        var hasFrameToSend: Bool {
            guard isEnhanced, credit < 0 else { return !frames.isEmpty }
            return frames.count + credit > 0
        }
    }

    /// What one end knows.
    struct Side {
        /// The unenhanced one first.
        var bearers: [Bearer]
        /// Frames of the channel that tells of credit, which Linux sends before all others
        /// (`l2cap_send_cmd` of net/bluetooth/l2cap_core.c).
        var signals = Fifo<Frame>()
        var waitingRequests = Fifo<PDU>()
        /// The frame of which packets are being sent.
        var present: Frame?
        var sentCount = 0
        /// The other end has the first packet, and this one does not know it.
        var isFirstPacketKnown = false
        /// When it last got an intact packet.
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

        /// Whether there is a packet that can be sent.
        var hasPacket: Bool {
            present != nil || bearers[0].hasFrameToSend || !signals.isEmpty
                || bearers.contains(where: \.hasFrameToSend)
        }

        /// The next bearer in turn that can be written to. The unenhanced one always can, and comes
        /// after the others: BlueZ asks those first (`bt_att_attach_chan` of src/shared/att.c).
        mutating func takeNextBearer() -> Int {
            lastWrittenBearer = next(after: lastWrittenBearer) { bearers[$0].isWritable } ?? 0
            return lastWrittenBearer
        }

        /// The next bearer in turn on which no request waits for its response.
        var bearerForRequest: Int? {
            next(after: lastWrittenBearer) {
                bearers[$0].isWritable && !bearers[$0].isRequestOutstanding
            }
        }

        /// A request goes on this bearer.
        mutating func begin(requestOn bearer: Int) {
            lastWrittenBearer = bearer
            bearers[bearer].isRequestOutstanding = true
        }

        /// Makes the next frame the present one, if there is none: what tells of credit, then the
        /// channels in turn.
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

        /// The next packet; 0 without a frame.
        var firstPacketByteCount: Int { min(present?.byteCount ?? 0, packetByteCountMax) }

        /// Whether the next packet is the last of its frame.
        var isFirstPacketLast: Bool { (present?.byteCount ?? 0) <= packetByteCountMax }

        /// The first packet is over; with the last one of a value that leaves the queue.
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

        /// The host has one more value to send.
        mutating func note(queuedValueOf byteCount: Int) {
            queuedValueCount += 1
            queuedByteCount += byteCount
            queuedByteCountMax = max(queuedByteCountMax, queuedByteCount)
        }

        private func next(after bearer: Int, where isFit: (Int) -> Bool) -> Int? {
            // Nearly always there is but one.
            if bearers.count == 1 { return isFit(0) ? 0 : nil }
            for offset in 1...bearers.count where isFit((bearer + offset) % bearers.count) {
                return (bearer + offset) % bearers.count
            }
            return nil
        }
    }
}
