import BLEOTACore
import BLEOTAHost
import Testing

/// Moments that threads bring out of order.
@Suite struct OutOfOrderMomentsTests {
    /// Two threads read the clock, and the one that read it last came first. The receiver once
    /// trapped over the negative delay in its ACK.
    @Test("Moments that come out of order count as the latest before")
    func momentsOutOfOrder() {
        let bench = ReceiverBench()
        var receiver = Receiver(options: ReceiverOptions(), memory: bench.memory)
        receiver.handleTimeout(at: .milliseconds(50))
        let open = SenderControl.Open(
            session: CoreSample.session,
            chunkSize: CoreSample.chunkSize,
            manifestByteCount: 500,
            tag: CoreSample.tag
        )
        receiver.receive(.open(open), at: .milliseconds(40))
        let task = receiver.nextTask()
        #expect(task == .lookUp(CoreSample.tag, manifestByteCount: 500))
        let plan = bench.plan(.manifest, byteCount: 500)
        receiver.handle(.planned(plan), for: receiver.ticket, at: .milliseconds(60))
        let first = receiver.nextTransmission(at: .milliseconds(10))
        guard case .acknowledgement(let acknowledgement)? = first?.frame else {
            Issue.record("no account")
            return
        }
        let header = PseudoHeader(
            session: CoreSample.session,
            object: .manifest,
            epoch: acknowledgement.epoch
        )
        let manifest = [UInt8](repeating: 7, count: 500)
        let frame = CoreSample.data(0, of: manifest, isPoll: true, header: header)
        receiver.receive(data: frame.span.bytes, at: .milliseconds(100))
        let second = receiver.nextTransmission(at: .milliseconds(90))
        guard case .acknowledgement(let answer)? = second?.frame else {
            Issue.record("no answer to P")
            return
        }
        #expect(answer.delayMilliseconds == 0)
        #expect(answer.truncatedCumulative == 1)
        receiver.handleTimeout(at: .milliseconds(1))
        let phase = receiver.phase
        #expect(phase == .receiving(.manifest))

        var ring = [SentChunk](repeating: SentChunk(), count: 16)
        ring.withUnsafeMutableBufferPointer { memory in
            var sender = Sender(
                transfer: CoreSample.transfer(),
                session: CoreSample.session,
                frameByteCountMax: 244,
                options: SenderOptions(),
                memory: memory,
                at: .milliseconds(100)
            )
            while sender.nextTransmission(at: .milliseconds(120)) != nil {}
            let acknowledgement = CoreSample.acknowledgement(
                0,
                object: .manifest,
                credit: .chunks(4)
            )
            sender.receive(.acknowledgement(acknowledgement), at: .milliseconds(110))
            while sender.nextTransmission(at: .milliseconds(130)) != nil {}
            let answer = CoreSample.acknowledgement(1, object: .manifest, answersPoll: true)
            sender.receive(.acknowledgement(answer), at: .milliseconds(90))
            sender.handleTimeout(at: .milliseconds(80))
            let (phase, roundTrip) = (sender.phase, sender.roundTrip)
            #expect(phase == .streaming(.manifest))
            #expect(roundTrip.map { $0.rawValue >= 0 } ?? true)
        }
    }
}
