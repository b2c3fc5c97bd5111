import BLEOTACore
import BLEOTAHost

extension Pair {
    func drainSender() {
        guard let sender else { return }
        var count = 0
        while failure == nil, !isDriverBlocked, driverOpensAt == nil,
            let (output, transmission) = sender.next(at: now, isHealed: isHealed, &random)
        {
            if let objection = output.objection { fail(objection) }
            count += 1
            if count > Self.burstMax { fail("the sender keeps sending while no time passes") }
            trace.note("S sends \(FrameDescription.of(transmission))", at: now)
            let chunk: SenderTransmission.Chunk? =
                if case .data(let chunk) = transmission { chunk } else { nil }
            noteSending(chunk)
            put(output.datagram, chunk, on: output.isData ? .senderData : .senderControl)
            if self.sender !== sender { return }
        }
        isDriverWaiting = isDriverBlocked || driverOpensAt != nil
        notePhase(sender.machine.phase)
        smallestChunkSize = min(
            smallestChunkSize ?? sender.machine.chunkSize,
            sender.machine.chunkSize
        )
        if let outcome = sender.machine.outcome { finish(sender, outcome) }
    }

    private func notePhase(_ phase: SenderPhase) {
        phasesSeen.insert(phase)
        if phase == .streaming(.image), imageBeganAt == nil { imageBeganAt = now }
        if phase == .awaitingResult(.image), imageAcknowledgedAt == nil {
            imageAcknowledgedAt = now
        }
    }

    func finish(_ sender: SenderEnd, _ outcome: SenderOutcome) {
        guard verifiedAt == nil else { return }
        trace.note("=== the sender ended: \(FrameDescription.of(outcome))", at: now)
        self.outcome = outcome
        senderEndings.append(outcome)
        // A truncated ACK can pass its checksum by chance; no other fault makes an ACK malformed.
        if outcome == .aborted(.malformedAccount),
            scenario.receiverControl.faults.truncation == 0 || isHealed
        {
            fail("the sender rejected an acknowledgement from an honest receiver")
        }
        if outcome == .verified {
            verifiedAt = now
            // If the last ACK was lost, the RESULT is the first frame to confirm the image.
            if imageAcknowledgedAt == nil { imageAcknowledgedAt = now }
            note(trafficOf: sender)
            if store.current != transfer.image { fail("the image is verified, but not current") }
        } else {
            loseSender()
            guard scenario.isHealing else { return }
            if scenario.isRequestedByReceiver { return }
            queue.put(.startSender, at: now + .seconds(1))
        }
    }

    func drainReceiver() {
        guard let receiver else { return }
        receiver.observe(at: now)
        var count = 0
        while failure == nil, let (datagram, transmission, objection) = receiver.next(at: now) {
            if let objection { fail(objection) }
            count += 1
            if count > Self.burstMax { fail("the receiver keeps sending while no time passes") }
            if case .acknowledgement = transmission.frame { acknowledgementCount += 1 }
            trace.note("  R sends \(FrameDescription.of(transmission.frame))", at: now)
            put(datagram, nil, on: .receiverControl)
            if self.receiver !== receiver { return }
        }
        receiver.startTasks()
        startStore()
        if let reason = receiver.machine.takeEnding() {
            trace.note("=== the receiver ended: \(reason.rawValue)", at: now)
            receiverEndings.append(reason)
        }
        if scenario.isRequestedByReceiver, verifiedAt == nil, receiver.machine.phase == .idle,
            requestsAgainAt.map({ now >= $0 }) ?? true
        {
            requestsAgainAt = now + .seconds(1)
            queue.put(.request, at: now + .seconds(1))
        }
    }

    func put(_ datagram: [UInt8], _ chunk: SenderTransmission.Chunk?, on channel: Channel) {
        trace.departs(datagram, on: channel, at: now)
        let frame = frameCount
        frameCount += 1
        traffic.datagramCount += 1
        traffic.byteCount += datagram.count
        guard isLinkUp else { return }
        guard radio == nil else { return putOnRadio(datagram, chunk, channel) }
        var arrivals = channels[channel]!.arrivals(
            of: datagram,
            at: now,
            isHealed: isHealed,
            &random
        )
        if channel == .senderData, scenario.driverQueueMax < .max {
            senderWaiting.append(arrivals.first?.moment ?? now)
        }
        if let anomaly = scenario.anomaly, anomaly.frame == frame {
            arrivals = self.arrivals(arrivals, with: anomaly.kind)
        }
        for arrival in arrivals {
            let intact = arrival.datagram == datagram ? chunk : nil
            queue.put(
                .arrival(channel, arrival.datagram, intact, link: linkNumber),
                at: arrival.moment
            )
        }
    }

    func putOnRadio(
        _ datagram: [UInt8],
        _ chunk: SenderTransmission.Chunk?,
        _ channel: Channel
    ) {
        let operation: RadioLink<Carried>.Operation =
            switch channel {
            case .senderControl: .request
            case .senderData: scenario.isWithResponse ? .request : .command
            case .receiverControl: .notification
            }
        radio?.send(
            Carried(datagram: datagram, chunk: chunk, channel: channel),
            byteCount: datagram.count,
            as: operation,
            from: channel == .receiverControl ? .peripheral : .central,
            at: now
        )
    }

    /// Whether the driver waits for the response to a request, or for room in its host's queue.
    var isDriverBlocked: Bool { radio.map { $0.isRequesting(.central) || !$0.hasRoom } ?? false }

    func arrivals(
        _ arrivals: [ModelChannel.Arrival],
        with kind: Scenario.Anomaly.Kind
    ) -> [ModelChannel.Arrival] {
        trace.note("=== anomaly: \(kind)", at: now)
        switch kind {
        case .drop: return []
        case .duplicate: return arrivals + arrivals
        case .truncate:
            return arrivals.map { .init(moment: $0.moment, datagram: $0.datagram.dropLast()) }
        case .delay:
            return arrivals.map {
                .init(moment: $0.moment + .seconds(1), datagram: $0.datagram)
            }
        case .cut: queue.put(.interruption(.cut), at: now)
        case .restartSender: queue.put(.interruption(.restartSender), at: now)
        case .restartReceiver: queue.put(.interruption(.restartReceiver), at: now)
        }
        return arrivals
    }

    /// The time at which the queue accepts the next datagram of the driver; `nil` if it accepts
    /// one now.
    var driverOpensAt: Instant? {
        guard scenario.driverQueueMax < .max else { return nil }
        while let first = senderWaiting.first, first <= now { senderWaiting.removeFirst() }
        guard senderWaiting.count >= scenario.driverQueueMax else { return nil }
        return senderWaiting[senderWaiting.count - scenario.driverQueueMax]
    }
}

private func min(_ left: ChunkSize, _ right: ChunkSize) -> ChunkSize {
    left.byteCount <= right.byteCount ? left : right
}
