import BLEOTACore
import BLEOTAHost

extension Pair {
    func handle(_ event: Event) {
        switch event {
        case .arrival(let channel, let datagram, let chunk, let link):
            guard link == linkNumber else { return }
            deliver(datagram, chunk, on: channel)
        case .storeStepDone(let number):
            if number == storeStepNumber { storeStepDone() }
        case .synced(let object, let ticket, let device):
            guard device == deviceNumber, let receiver else { return }
            receiver.machine.handle(store.sync(object), for: ticket, at: now)
            drainReceiver()
        case .interruption(let kind): interrupt(kind)
        case .linkUp:
            isLinkUp = true
            if receiver == nil { startReceiver() }
            queue.put(scenario.isRequestedByReceiver ? .request : .startSender, at: now)
        case .reconnect: reconnect()
        case .startSender: startSender()
        case .startReceiver:
            guard receiver == nil, isLinkUp else { return }
            startReceiver()
            if scenario.isRequestedByReceiver { queue.put(.request, at: now) }
        case .request: request()
        case .healed:
            isHealed = true
            radio?.heal()
        }
    }

    func deliver(
        _ datagram: [UInt8],
        _ chunk: SenderTransmission.Chunk?,
        on channel: Channel
    ) {
        trace.arrives(datagram, on: channel, at: now)
        switch channel {
        case .senderControl:
            trace.note("  R gets \(FrameDescription.ofSender(datagram))", at: now)
            receiver?.receive(control: datagram, at: now)
            drainReceiver()
        case .senderData:
            trace.note(
                "  R gets data \(datagram.count) \(chunk.map { "\($0.index)" } ?? "")",
                at: now
            )
            noteArrival(chunk)
            if let objection = receiver?.receive(
                data: datagram,
                sentAs: chunk,
                store: store,
                at: now
            ) {
                fail(objection)
            }
            drainReceiver()
        case .receiverControl:
            let session = sender?.machine.session ?? lastSession
            trace.note(
                "S gets \(FrameDescription.ofReceiver(datagram, session: session))",
                at: now
            )
            if scenario.isRequestedByReceiver { answerRequest(datagram) }
            sender?.receive(datagram, at: now)
            noteAcknowledgement(datagram)
            drainSender()
        }
    }

    /// Answers a REQUEST as an application would: it offers the object in the requested session.
    func answerRequest(_ datagram: [UInt8]) {
        guard
            case .request(let request)? = try? ReceiverControl(
                decoding: datagram.span.bytes,
                session: .none
            ),
            request.session != lastSession
        else { return }
        start(request.session)
    }
}
