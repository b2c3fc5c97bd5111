import BLEOTACore
import BLEOTAHost
import Testing

@Suite("A receiver ends")
struct ReceiverEndingTests {
    //= END-2
    @Test("RESULT is repeated for POLL and OPEN, until CLOSE")
    func repeatedResult() {
        let talk = Self.verified()
        #expect(talk.drainedResults().count == 1)
        talk.poll()
        #expect(talk.drainedResults() == [.init(reason: .verified, detail: 1)])
        talk.open()
        #expect(talk.drainedResults() == [.init(reason: .verified, detail: 1)])
        talk.close()
        talk.poll()
        #expect(talk.drainedResults() == [.init(reason: .noSession)])
    }

    //= END-2
    @Test("RESULT is kept for 10 s, after which the session is forgotten")
    func resultExpires() {
        let talk = Self.verified()
        #expect(talk.receiver.nextDeadline == talk.now, "RESULT has to be said first")
        _ = talk.drain()
        #expect(talk.receiver.nextDeadline == talk.now + .seconds(10))
        talk.pass(9_999)
        #expect(talk.receiver.phase == .finished(.verified))
        talk.pass(1)
        #expect(talk.receiver.phase == .idle)
        // Its OPEN is late from then on; another session is welcome.
        talk.open()
        #expect(talk.receiver.phase == .idle)
        talk.open(SessionNumber(8))
        #expect(talk.receiver.phase == .lookingUp)
    }

    @Test("An ending is told once: not again by the CLOSE that answers it, nor when RESULT expires")
    func endingOnce() {
        for isClosed in [true, false] {
            let talk = ReceiverConversation.receiving()
            talk.handle(.refused(.storeFailed, detail: 5))
            let ending = talk.receiver.takeEnding()
            #expect(ending == .storeFailed && talk.receiver.endingDetail == 5)
            if isClosed { talk.close(.verified) } else { talk.pass(10_000) }
            #expect(talk.receiver.phase == .idle)
            let second = talk.receiver.takeEnding()
            #expect(second == nil && talk.receiver.endingDetail == 0)
        }
    }

    //= END-6
    @Test(
        "CLOSE ends a session in any state and tells its reason; of another session it does nothing"
    )
    func closed() {
        for talk in ReceiverConversation.inEveryState() {
            let phase = talk.receiver.phase
            talk.close(.cancelled, SessionNumber(4))
            #expect(talk.receiver.phase == phase)
            talk.close(.cancelled)
            let ending = talk.receiver.takeEnding()
            #expect(talk.receiver.phase == .idle && ending == .cancelled)
            #expect(talk.tasks() == [.release(discarding: false)])
        }
    }

    //= END-8
    @Test("CLOSE *withdrawn* in any state has the store forget the transfer, and is told as such")
    func withdrawn() {
        for talk in ReceiverConversation.inEveryState() {
            talk.close(.withdrawn, SessionNumber(4))
            #expect(talk.tasks().isEmpty)
            talk.close(.withdrawn)
            let ending = talk.receiver.takeEnding()
            #expect(talk.receiver.phase == .idle && ending == .withdrawn)
            #expect(talk.tasks() == [.release(discarding: true)])
        }
    }

    //= TIME-3
    //= TIME-4
    @Test("30 s without anything valid end the session in any state, and keep what is durable")
    func silence() {
        for talk in ReceiverConversation.inEveryState() {
            var steps = 0
            while talk.receiver.phase != .idle, steps < 200 {
                _ = talk.drain()
                guard let deadline = talk.receiver.nextDeadline else { break }
                talk.pass(max(Int((deadline - talk.now).rawValue / 1_000), 0))
                steps += 1
            }
            #expect(talk.now == .milliseconds(30_000))
            let ending = talk.receiver.takeEnding()
            #expect(ending == .silent && talk.receiver.nextDeadline == nil)
            #expect(talk.tasks() == [.release(discarding: false)])
        }
    }

    //= TIME-3
    @Test("POLL, OPEN and intact data put the end off; damaged data does not")
    func heard() {
        let talk = ReceiverConversation.receiving()
        talk.pass(20_000)
        talk.poll()
        talk.pass(20_000)
        talk.chunk(0)
        talk.pass(20_000)
        talk.open()
        talk.pass(20_000)
        #expect(talk.receiver.phase == .receiving(.image))
        talk.receive([UInt8](repeating: 9, count: 244))
        talk.pass(10_000)
        #expect(talk.receiver.phase == .idle)
    }

    //= END-5
    @Test("The application can give up in any state, and RESULT says so")
    func givenUp() {
        for talk in ReceiverConversation.inEveryState() {
            talk.receiver.abort(.cancelled, at: talk.now)
            #expect(talk.drainedResults() == [.init(reason: .cancelled)])
            let ending = talk.receiver.takeEnding()
            #expect(ending == .cancelled)
            talk.receiver.abort(.notNow, at: talk.now)
            let second = talk.receiver.takeEnding()
            #expect(second == nil && talk.receiver.phase == .finished(.cancelled))
        }
        let idle = ReceiverConversation()
        idle.receiver.abort(.cancelled, at: idle.now)
        #expect(idle.drain().isEmpty)
    }

    //= OBJ-2
    @Test("A manifest that is not the one announced is asked for again, twice")
    func manifestMismatch() {
        let talk = ReceiverConversation()
        talk.open()
        _ = talk.tasks()
        talk.plan(.manifest)
        for round in 0..<3 {
            let acknowledgements = talk.drainedAcknowledgements()
            #expect(acknowledgements.map(\.epoch) == [Epoch(UInt8(round))])
            #expect(acknowledgements.map(\.truncatedCumulative) == [0])
            talk.chunks(0..<3)
            talk.storeAll()
            #expect(talk.tasks() == [.judge])
            _ = talk.drain()
            talk.handle(.manifestMismatch(talk.bench.plan(.manifest, byteCount: 500)))
        }
        #expect(talk.drainedResults() == [.init(reason: .manifestMismatch)])
        let ending = talk.receiver.takeEnding()
        #expect(ending == .manifestMismatch)
    }

    @Test("A mismatch whose new plan does not fit the memory ends the session, and says so")
    func mismatchTooLarge() {
        let talk = ReceiverConversation.inEveryState()[2]
        talk.handle(
            .manifestMismatch(
                talk.bench.plan(.manifest, byteCount: 200_000, blockByteCount: 65_536)
            )
        )
        let ending = talk.receiver.takeEnding()
        #expect(ending == .tooLarge)
    }

    //= OBJ-3
    @Test("A manifest that is refused is forgotten, with its reason and detail told")
    func refusedManifest() {
        let talk = ReceiverConversation.inEveryState()[2]
        talk.handle(.refused(.unknownAttribute, detail: 0x81))
        #expect(talk.drainedResults() == [.init(reason: .unknownAttribute, detail: 0x81)])
        #expect(talk.tasks() == [.release(discarding: true)])
    }

    //= OBJ-6
    @Test("An image that is not as it was written is looked up again, twice")
    func lookUpAgain() {
        let talk = ReceiverConversation.receiving(image: 4_096)
        for round in 0..<3 {
            talk.chunks(0..<18)
            talk.storeAll()
            #expect(talk.receiver.phase == .verifying && talk.tasks() == [.publish])
            talk.handle(.lookUpAgain)
            if round == 2 { break }
            #expect(talk.receiver.phase == .lookingUp)
            #expect(talk.tasks() == [.lookUp(CoreSample.tag, manifestByteCount: 500)])
            talk.plan(.image)
            #expect(talk.drainedAcknowledgements().map(\.epoch) == [Epoch(UInt8(round + 1))])
        }
        #expect(talk.drainedResults() == [.init(reason: .imageMismatch)])
    }

    @Test("Answers that fit no state are ignored")
    func strayAnswers() {
        for talk in ReceiverConversation.inEveryState() + [ReceiverConversation()] {
            let phase = talk.receiver.phase
            talk.handle(.stored(block: 3))
            talk.handle(.rejected(block: 3))
            if phase != .judging {
                talk.handle(.manifestMismatch(talk.bench.plan(.manifest, byteCount: 500)))
            }
            if phase != .verifying { talk.handle(.lookUpAgain) }
            #expect(talk.receiver.phase == phase && talk.tasks().isEmpty)
        }
    }

    @Test("Frames are written with the checksum of their session")
    func encoding() {
        let talk = ReceiverConversation.receiving()
        talk.poll()
        let transmission = talk.drain()[0]
        var buffer = [UInt8](repeating: 0, count: ReceiverControl.byteCountMax)
        var elements = buffer.mutableSpan
        var room = elements.mutableBytes
        let count = transmission.encode(into: &room)
        let bytes = Array(buffer[..<count])
        let frame = try? ReceiverControl(
            decoding: bytes.span.bytes,
            session: CoreSample.session
        )
        #expect(frame == transmission.frame)
    }

    private static func verified() -> ReceiverConversation {
        let talk = ReceiverConversation.receiving(image: 4_096)
        talk.chunks(0..<18)
        talk.storeAll()
        _ = talk.tasks()
        _ = talk.drain()
        talk.handle(.published(digestPrefix: 1))
        #expect(talk.receiver.phase == .finished(.verified))
        return talk
    }
}
