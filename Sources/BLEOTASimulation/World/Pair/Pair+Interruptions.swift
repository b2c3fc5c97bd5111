import BLEOTACore
import BLEOTAHost

extension Pair {
    func interrupt(_ kind: Scenario.Interruption) {
        guard isLinkUp, verifiedAt == nil else { return }
        trace.note("=== \(kind)", at: now)
        noteInterruption()
        switch kind {
        case .cut:
            isLinkUp = false
            // Queued datagrams are lost with the link.
            channels = channels.mapValues { ModelChannel($0.model) }
            linkNumber += 1
            loseSender()
            loseReceiver()
            endRadio()
            queue.put(
                scenario.radio == nil ? .linkUp : .reconnect,
                at: now + scenario.interruptionPause
            )
        case .restartSender:
            loseSender()
            if !scenario.isRequestedByReceiver {
                queue.put(.startSender, at: now + scenario.interruptionPause)
            }
        case .restartReceiver:
            loseReceiver()
            losePower()
            queue.put(.startReceiver, at: now + scenario.interruptionPause)
        }
    }

    func noteInterruption() {
        if let sender {
            sender.isInterrupted()
            if interruptedSenders.last !== sender { interruptedSenders.append(sender) }
        } else {
            interruptionsWithoutSender += 1
        }
    }

    func loseSender() {
        if let sender { note(trafficOf: sender) }
        sender = nil
        senderWaiting = []
        isDriverWaiting = false
    }

    func note(trafficOf sender: SenderEnd) {
        if !sender.isIntact { fail("the sender wrote outside its memory") }
        lastSession = sender.machine.session
        traffic.imageFrameCount += sender.imageFrameCount
        traffic.dataFrameCount += sender.dataFrameCount
    }

    func loseReceiver() {
        checkMemory()
        receiver = nil
        deviceNumber += 1
        if !store.isAutonomous { storeWork = nil }
    }

    func startReceiver() {
        receiver = ReceiverEnd(
            scenario,
            manifestByteCount: transfer.manifest.count,
            firstEpoch: Epoch(UInt8(truncatingIfNeeded: random.next()))
        )
    }

    func startSender() {
        // After two restarts in a row, there is still only one sender.
        guard isLinkUp, verifiedAt == nil, sender == nil else { return }
        var session = SessionNumber(UInt16(truncatingIfNeeded: random.next()))
        if session == lastSession { session = session.next }
        start(session)
    }

    func start(_ session: SessionNumber) {
        guard isLinkUp, verifiedAt == nil else { return }
        loseSender()
        trace.note("=== a sender opens \(session.rawValue)", at: now)
        sender = SenderEnd(scenario, transfer, session: session, at: now)
        lastSession = session
        drainSender()
    }

    func request() {
        guard isLinkUp, verifiedAt == nil, let receiver else { return }
        if receiver.machine.phase == .idle {
            receiver.machine.request(
                TransferTag(rawValue: 7),
                session: SessionNumber(UInt16(truncatingIfNeeded: random.next())),
                at: now
            )
        }
        drainReceiver()
    }
}
