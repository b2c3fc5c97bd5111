import BLEOTACore

/// ATT on its bearers, and L2CAP below them.
extension RadioLink {
    /// Sends a request as soon as a bearer is free for it.
    mutating func request(_ pdu: PDU, from end: End, at now: Instant) {
        guard sides[end.rawValue].waitingRequests.isEmpty,
            let bearer = sides[end.rawValue].bearerForRequest
        else {
            sides[end.rawValue].waitingRequests.append(pdu)
            return
        }
        sides[end.rawValue].begin(requestOn: bearer)
        enqueue(pdu, on: bearer, from: end, at: now)
    }

    /// Splits a PDU into the frames of its bearer, and queues them.
    mutating func enqueue(_ pdu: PDU, on bearer: Int, from end: End, at now: Instant) {
        let isEnhanced = sides[end.rawValue].bearers[bearer].isEnhanced
        let frames = settings.frameByteCounts(ofPDU: pdu.byteCount, isEnhanced: isEnhanced)
        for (number, byteCount) in frames.enumerated() {
            let isLast = number == frames.count - 1
            sides[end.rawValue].bearers[bearer].frames.append(
                Frame(
                    content: isLast ? .pdu(pdu.content) : .segment,
                    bearer: bearer,
                    valueByteCount: isLast ? pdu.valueByteCount : nil,
                    byteCount: byteCount
                )
            )
        }
        if isEnhanced { sides[end.rawValue].bearers[bearer].credit -= frames.count }
        wake(at: now)
    }

    mutating func endRequest(of end: End, on bearer: Int, at now: Instant) {
        sides[end.rawValue].bearers[bearer].isRequestOutstanding = false
        sendWaitingRequests(from: end, at: now)
    }

    private mutating func sendWaitingRequests(from end: End, at now: Instant) {
        while !sides[end.rawValue].waitingRequests.isEmpty,
            let bearer = sides[end.rawValue].bearerForRequest
        {
            let pdu = sides[end.rawValue].waitingRequests.removeFirst()
            sides[end.rawValue].begin(requestOn: bearer)
            enqueue(pdu, on: bearer, from: end, at: now)
        }
    }

    // MARK: - Credits

    /// Counts a received frame, and returns credits to the peer. Linux returns credits when a PDU
    /// is complete or no credits are left (`l2cap_ecred_data_rcv` of net/bluetooth/l2cap_core.c).
    /// The credits are sent in a separate frame: command, identifier and length in 4 bytes,
    /// channel and count in 4 (Bluetooth Core 5.4, volume 3, part A, 4 and 4.24).
    mutating func receiveFrame(at end: End, on bearer: Int, isLast: Bool, _ now: Instant) {
        guard let creditCount = settings.enhancedBearers?.creditCount else { return }
        sides[end.rawValue].bearers[bearer].takenFrameCount += 1
        let count = sides[end.rawValue].bearers[bearer].takenFrameCount
        guard isLast || count >= creditCount else { return }
        sides[end.rawValue].bearers[bearer].takenFrameCount = 0
        sides[end.rawValue].signals.append(
            Frame(
                content: .credits(count: count, bearer: bearer),
                bearer: bearer,
                byteCount: RadioSettings.l2capHeaderByteCount + 4 + 4
            )
        )
        wake(at: now)
    }

    mutating func addCredits(_ count: Int, to end: End, on bearer: Int, at now: Instant) {
        sides[end.rawValue].bearers[bearer].credit += count
        sendWaitingRequests(from: end, at: now)
        wake(at: now)
    }

    // MARK: - Packets

    /// Delivers the first packet to the peer. The last packet of a frame also delivers the frame
    /// to the peer's host.
    mutating func deliverFirstPacket(
        of end: End,
        at moment: Instant,
        _ random: inout SimulationRandom
    ) {
        guard !sides[end.rawValue].isFirstPacketKnown else { return }
        sides[end.rawValue].isFirstPacketKnown = true
        guard sides[end.rawValue].isFirstPacketLast, let frame = sides[end.rawValue].present else {
            return
        }
        let other = end.other
        var arrivesAt = moment + settings.hostLatency
        if let pauses = settings.hostPauses {
            arrivesAt = hostCourses[other.rawValue].moment(takingAt: arrivesAt, pauses, &random)
        }
        switch frame.content {
        case .segment: receive(frame, isLast: false, at: other, arrivesAt)
        case .pdu(let content):
            receive(frame, isLast: true, at: other, arrivesAt)
            deliver(content, on: frame.bearer, to: other, at: arrivesAt, &random)
        case .credits(let count, let bearer):
            events.put(.creditsArrived(other, bearer: bearer, count: count), at: arrivesAt)
        }
    }

    private mutating func receive(_ frame: Frame, isLast: Bool, at end: End, _ moment: Instant) {
        guard sides[end.rawValue].bearers[frame.bearer].isEnhanced else { return }
        events.put(.frameTaken(end, bearer: frame.bearer, isLast: isLast), at: moment)
    }

    private mutating func deliver(
        _ content: PDU.Content,
        on bearer: Int,
        to end: End,
        at moment: Instant,
        _ random: inout SimulationRandom
    ) {
        switch content {
        case .response: events.put(.responseArrived(end, bearer: bearer), at: moment)
        case .mtuRequest: events.put(.answer(.mtuResponse, end, bearer: bearer), at: moment)
        case .value(let token, let operation):
            if operation != .request, random.chance(settings.valueLoss) { return }
            if settings.receiveQueue != nil, end == .peripheral {
                events.put(.queued(token, operation, end, bearer: bearer), at: moment)
                return
            }
            events.put(.value(token, end), at: moment)
            guard operation == .request else { return }
            events.put(.answer(.writeResponse, end, bearer: bearer), at: moment)
        }
    }
}
