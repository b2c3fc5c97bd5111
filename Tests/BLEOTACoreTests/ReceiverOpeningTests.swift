import BLEOTACore
import BLEOTAHost
import Testing

@testable import BLEOTACore

@Suite("A receiver opens")
struct ReceiverOpeningTests {
    //= OPEN-3
    //= OBJ-1
    //= OBJ-3
    //= END-1
    @Test("A whole transfer: manifest, judgement, image, verification, RESULT, CLOSE")
    func wholeTransfer() {
        let talk = ReceiverConversation()
        talk.open()
        #expect(talk.receiver.phase == .lookingUp && talk.drain().isEmpty)
        #expect(talk.tasks() == [.lookUp(CoreSample.tag, manifestByteCount: 500)])
        talk.plan(.manifest)
        #expect(talk.drainedAcknowledgements().map(\.object) == [.manifest])
        talk.chunks(0..<3)
        #expect(talk.tasks() == [.write(.manifest, block: 0)])
        let bytes = talk.receiver.withBytes(ofBlock: 0) { span in
            span.byteOffsets.map { span.unsafeLoad(fromByteOffset: $0, as: UInt8.self) }
        }
        #expect(bytes == talk.manifest)
        #expect(talk.drainedAcknowledgements().map(\.truncatedCumulative) == [3])
        talk.handle(.stored(block: 0))
        #expect(talk.receiver.phase == .judging && talk.tasks() == [.judge])
        talk.plan(.image)
        let acknowledgement = talk.drainedAcknowledgements()
        #expect(
            acknowledgement.map(\.object) == [.image] && acknowledgement.map(\.epoch) == [Epoch(1)]
        )
        for index: UInt32 in 0..<86 {
            talk.chunk(index)
            talk.storeAll()
        }
        #expect(talk.receiver.phase == .verifying)
        talk.handle(.published(digestPrefix: CoreSample.digestPrefix))
        #expect(
            talk.drainedResults() == [.init(reason: .verified, detail: CoreSample.digestPrefix)]
        )
        let ending = talk.receiver.takeEnding()
        #expect(ending == .verified)
        talk.close()
        #expect(talk.receiver.phase == .idle && talk.receiver.nextDeadline == nil)
    }

    //= OPEN-4
    @Test("The same OPEN again is answered again and changes nothing")
    func duplicateOpen() {
        let talk = ReceiverConversation.receiving()
        talk.chunks(0..<5)
        let ticket = talk.receiver.ticket
        talk.open()
        let acknowledgement = talk.drainedAcknowledgements().first
        #expect(acknowledgement?.truncatedCumulative == 5 && acknowledgement?.epoch == Epoch(0))
        #expect(talk.tasks().isEmpty && talk.receiver.ticket == ticket)
    }

    //= OPEN-5
    //= END-6
    @Test(
        "Another OPEN drops the session but keeps what is durable; the old one's OPEN is late then"
    )
    func otherOpen() {
        let talk = ReceiverConversation.receiving()
        let old = talk.receiver.ticket
        talk.open(SessionNumber(77))
        #expect(
            talk.tasks() == [
                .release(discarding: false), .lookUp(CoreSample.tag, manifestByteCount: 500),
            ]
        )
        talk.open()
        #expect(talk.tasks().isEmpty && talk.drain().isEmpty)
        // An answer for the old session is ignored, one for the new is not.
        let plan = talk.bench.plan(.image, byteCount: 5_000)
        talk.receiver.handle(.planned(plan), for: old, at: talk.now)
        #expect(talk.receiver.phase == .lookingUp)
        talk.handle(.planned(plan))
        #expect(talk.receiver.phase == .receiving(.image))
    }

    @Test(
        "A store that is late finds a release or two for all sessions that came and went meanwhile"
    )
    func lateStore() {
        let talk = ReceiverConversation.receiving()
        for number: UInt16 in 100..<200 { talk.open(SessionNumber(number)) }
        let lookUp = StorageTask.lookUp(CoreSample.tag, manifestByteCount: 500)
        #expect(talk.tasks() == [.release(discarding: false), lookUp])
        for number: UInt16 in 200..<300 {
            talk.open(SessionNumber(number))
            if number == 290 { talk.close(.withdrawn, SessionNumber(number)) }
        }
        // It knows what to forget by the session, which is so the last until it has.
        #expect(talk.receiver.phase == .idle)
        #expect(talk.tasks() == [.release(discarding: false), .release(discarding: true)])
        talk.open(SessionNumber(299))
        #expect(talk.tasks() == [lookUp])
    }

    //= OPEN-6
    @Test("POLL of a session that is none here is answered in that session")
    func strayPoll() {
        for talk in ReceiverConversation.inEveryState() + [ReceiverConversation()] {
            let phase = talk.receiver.phase
            talk.poll(SessionNumber(5))
            #expect(
                talk.drain() == [
                    ReceiverTransmission(
                        session: SessionNumber(5),
                        frame: .result(.init(reason: .noSession))
                    )
                ]
            )
            #expect(talk.receiver.phase == phase)
        }
    }

    //= FRAME-4
    @Test("OPEN of another version is answered with the versions spoken, in any state")
    func foreignVersion() {
        for talk in ReceiverConversation.inEveryState() + [ReceiverConversation()] {
            let phase = talk.receiver.phase
            let error = talk.receiver.receive(
                control: Self.foreignOpen(session: 9).span.bytes,
                at: talk.now
            )
            #expect(error == .version(opening: SessionNumber(9)))
            #expect(
                talk.drain() == [
                    ReceiverTransmission(
                        session: SessionNumber(9),
                        frame: .result(.init(reason: .version, detail: 0x0101))
                    )
                ]
            )
            #expect(talk.receiver.phase == phase)
        }
    }

    /// Version 2, OPEN, session, a byte that version 1 does not know, checksum.
    private static func foreignOpen(session: UInt8) -> [UInt8] {
        let bytes: [UInt8] = [0x21, session, 0, 0x55]
        var checksum = Checksum()
        for byte in [session, 0] + bytes { checksum.update(byte) }
        return bytes + [UInt8(checksum.value & 0xFF), UInt8(checksum.value >> 8)]
    }

    //= FRAME-3
    @Test("What is dropped is counted and changes nothing")
    func droppedControl() {
        let talk = ReceiverConversation.receiving()
        var open = CoreSample.control(
            .poll(.init(session: CoreSample.session, object: .image, epoch: Epoch(0)))
        )
        open[2] ^= 4
        for bytes in [open, [], [0x12], [UInt8](repeating: 0x31, count: 9)] {
            let error = talk.receiver.receive(control: bytes.span.bytes, at: talk.now)
            #expect(error != nil)
            #expect(talk.drain().isEmpty)
        }
        #expect(talk.receiver.statistics.controlFramesDropped == 4)
        let good = CoreSample.control(
            .poll(.init(session: CoreSample.session, object: .image, epoch: Epoch(0)))
        )
        let error = talk.receiver.receive(control: good.span.bytes, at: talk.now)
        #expect(error == nil && talk.drain().count == 1)
    }

    //= OPEN-8
    //= OPEN-10
    @Test("REQUEST goes out until its OPEN comes; another OPEN does not count")
    func request() {
        let talk = ReceiverConversation()
        talk.receiver.request(CoreSample.tag, session: SessionNumber(3), at: talk.now)
        let request = ReceiverTransmission(
            session: SessionNumber(3),
            frame: .request(.init(session: SessionNumber(3), nameTag: CoreSample.tag))
        )
        #expect(talk.drain() == [request])
        talk.pass(999)
        #expect(talk.drain().isEmpty)
        talk.pass(1)
        #expect(talk.drain() == [request])
        talk.open(SessionNumber(4))
        #expect(talk.receiver.phase == .requesting && talk.tasks().isEmpty)
        talk.open(SessionNumber(3))
        #expect(talk.receiver.phase == .lookingUp)
    }

    //= OPEN-8
    @Test("A request ends with CLOSE and its reason, or after 30 s of silence, or when given up")
    func requestEnds() {
        for (end, reason) in [(0, Reason.noSuchObject), (1, .silent), (2, .cancelled)] {
            let talk = ReceiverConversation()
            talk.receiver.request(CoreSample.tag, session: SessionNumber(3), at: talk.now)
            switch end {
            case 0: talk.close(.noSuchObject, SessionNumber(3))
            case 1:
                talk.pass(29_999)
                #expect(talk.receiver.phase == .requesting)
                talk.pass(1)
            default: talk.receiver.abort(.cancelled, at: talk.now)
            }
            let ending = talk.receiver.takeEnding()
            #expect(talk.receiver.phase == .idle && ending == reason)
        }
    }

    @Test("A request in the middle of a session does nothing, nor gives the peer more time")
    func requestInSession() {
        let talk = ReceiverConversation.receiving()
        talk.pass(20_000)
        talk.receiver.request(CoreSample.tag, session: SessionNumber(3), at: talk.now)
        #expect(talk.receiver.phase == .receiving(.image))
        talk.pass(10_000)
        #expect(talk.receiver.phase == .idle)
    }

    @Test("An object for which there is not enough memory is refused")
    func tooLarge() {
        let talk = ReceiverConversation()
        talk.open()
        _ = talk.tasks()
        talk.handle(.planned(talk.bench.plan(.image, byteCount: 200_000, blockByteCount: 65_536)))
        #expect(talk.drainedResults() == [.init(reason: .tooLarge, detail: 8_192)])
        #expect(talk.tasks() == [.release(discarding: false)])
        let ending = talk.receiver.takeEnding()
        #expect(ending == .tooLarge)
    }

    @Test("What is current already is told at once, and what is stored whole goes on at once")
    func nothingToReceive() {
        let current = ReceiverConversation()
        current.open()
        current.handle(.alreadyCurrent(digestPrefix: 8))
        #expect(current.drainedResults() == [.init(reason: .verified, detail: 8)])
        let stored = ReceiverConversation()
        stored.open()
        _ = stored.tasks()
        stored.plan(.image, held: [0, 1, 2, 3, 4])
        #expect(stored.receiver.phase == .verifying && stored.tasks() == [.publish])
    }

    //= ECHO-1
    @Test("An echo probe is answered in any state, with its token and its length")
    func echo() {
        let idle = ReceiverConversation()
        let finished = ReceiverConversation.receiving()
        finished.receiver.abort(.cancelled, at: finished.now)
        _ = finished.drain()
        for talk in ReceiverConversation.inEveryState() + [idle, finished] {
            for byteCount in [5, 16, 244, 512] {
                let payload = [UInt8](repeating: 3, count: byteCount - 4)
                talk.receive(CoreSample.data(99, payload: payload, header: .echo))
                #expect(
                    talk.drain() == [
                        ReceiverTransmission(
                            session: .none,
                            frame: .echoReply(.init(token: 99, byteCount: UInt16(byteCount)))
                        )
                    ]
                )
                // With P it is none, nor when damaged.
                talk.receive(CoreSample.data(99, payload: payload, isPoll: true, header: .echo))
                var damaged = CoreSample.data(99, payload: payload, header: .echo)
                damaged[3] ^= 1
                talk.receive(damaged)
                #expect(talk.drain().isEmpty)
            }
        }
        for _ in 0..<20 {
            idle.receive(CoreSample.data(1, payload: [1], header: .echo))
        }
        #expect(idle.drain().count == 8)
    }

    //= RUN-1
    @Test("Of more answers outside a session than there is room for, the newest is said")
    func manyAnswers() {
        let talk = ReceiverConversation()
        for _ in 0..<20 {
            talk.receive(CoreSample.data(1, payload: [1], header: .echo))
        }
        talk.receiver.receive(.query(.init(session: SessionNumber(9))), at: talk.now)
        let said = talk.drain()
        #expect(said.count == 8)
        #expect(
            said.first
                == ReceiverTransmission(
                    session: SessionNumber(9),
                    frame: .status(.init(state: .unknown, runningTag: 0))
                )
        )
    }
}
