import BLEOTACore
import Testing

@Suite("A sender opens")
struct SenderOpeningTests {
    //= OPEN-1
    //= OPEN-2
    //= TIME-1
    @Test("OPEN comes first and again, always the same, until 10 s of silence end the session")
    func silence() {
        let talk = SenderConversation()
        var times: [Int] = []
        while talk.sender.outcome == nil {
            for transmission in talk.drain() {
                #expect(
                    transmission
                        == .control(
                            .open(
                                .init(
                                    session: CoreSample.session,
                                    chunkSize: CoreSample.chunkSize,
                                    manifestByteCount: 500,
                                    tag: CoreSample.tag
                                )
                            )
                        )
                )
                times.append(talk.milliseconds)
            }
            talk.passDeadline()
        }
        #expect(times == [0, 120, 360, 840, 1_800, 3_720, 5_720, 7_720, 9_720])
        #expect(talk.milliseconds == 10_000)
        #expect(talk.sender.outcome == .aborted(.silent))
        #expect(
            talk.drainedControl() == [.close(.init(session: CoreSample.session, reason: .silent))]
        )
        #expect(talk.sender.nextDeadline == nil)
    }

    //= TIME-2
    @Test(
        "A receiver that is busy for 600 s is given that long, and hears from the sender meanwhile"
    )
    func busyForLong() {
        for acknowledgement in [nil, CoreSample.acknowledgement(100)] {
            let talk = SenderConversation()
            _ = talk.drain()
            if let acknowledgement { talk.hear(acknowledgement) }
            var lastSaid = 0
            while talk.sender.outcome == nil {
                talk.pass(1_000)
                talk.hearBusy()
                if !talk.drain().isEmpty { lastSaid = talk.milliseconds }
                // A receiver takes 30 s of silence for the end.
                #expect(talk.milliseconds - lastSaid <= 6_000)
            }
            #expect(talk.sender.outcome == .aborted(.stalled))
            #expect(talk.milliseconds == 600_000)
        }
    }

    /// Chunks of an automatic window that go out on the first ACK, which comes when `answers` say.
    private func firstWindow(_ answers: (SenderConversation) -> Void) -> Int {
        let talk = SenderConversation(window: .automatic)
        _ = talk.drain()
        answers(talk)
        talk.hear(CoreSample.acknowledgement(0))
        return talk.drainedChunks().count
    }

    /// A push to a receiver that was busy with others for half a second took another half second,
    /// because its window was spread over as much.
    @Test("The time that a busy receiver needed for its answer is no round trip of the link")
    func busyIsNoRoundTrip() {
        let unknown = firstWindow { _ in }
        let slowLink = firstWindow { $0.pass(480) }
        #expect(unknown < slowLink)
        let busyReceiver = firstWindow { talk in
            talk.pass(100)
            talk.hearBusy(.lookingUp)
            talk.pass(380)
        }
        #expect(busyReceiver == firstWindow { $0.pass(60) })
        #expect(busyReceiver < slowLink)
    }

    //= ACK-7
    //= ACK-9
    @Test("The first account says where to begin and what to leave out")
    func resuming() {
        let talk = SenderConversation.streaming(
            CoreSample.acknowledgement(50, credit: .chunks(6), durable: 12_000, shown: [0, 2, 3])
        )
        #expect(talk.sender.phase == .streaming(.image))
        #expect(talk.drainedChunks().map(\.index) == [50, 52, 55])
        #expect(talk.sender.durableByteCount == 12_000)
        #expect(talk.sender.resumedFromByte == 12_000)
    }

    //= ACK-7
    @Test("Past 65,536 chunks the durable byte count tells which of the congruent numbers is meant")
    func farResuming() {
        let talk = SenderConversation.streaming(
            CoreSample.acknowledgement(140_000, durable: 12 * 75_000),
            image: 12 * 200_000,
            frameByteCountMax: 16
        )
        #expect(talk.drainedChunks().first?.index == 140_000)
        talk.hear(CoreSample.acknowledgement(140_008, durable: 12 * 75_000))
        #expect(talk.drainedChunks().first?.index == 140_008)
    }

    //= CHUNK-1
    //= CHUNK-2
    @Test(
        "The chunk fills what the link carries",
        arguments: [
            (16, 12), (18, 12), (20, 16), (185, 180), (243, 236), (244, 240), (494, 488),
            (487, 240),
            (495, 488),
            (512, 488),
        ]
    )
    func chunkSize(frame: Int, chunk: Int) {
        let talk = SenderConversation(frameByteCountMax: frame)
        #expect(talk.sender.chunkSize.byteCount == chunk)
    }

    @Test("An object that is there whole needs no chunk: the sender waits for RESULT")
    func nothingToSend() {
        let talk = SenderConversation.streaming(CoreSample.acknowledgement(100, durable: 24_000))
        #expect(talk.sender.phase == .awaitingResult(.image))
        #expect(talk.drain().isEmpty)
        #expect(talk.passDeadline() == 600)
        #expect(
            talk.drainedControl() == [
                .poll(.init(session: CoreSample.session, object: .image, epoch: Epoch(1)))
            ]
        )
    }

    @Test("After the manifest the image follows in a newer epoch")
    func manifestThenImage() {
        let talk = SenderConversation.streaming(
            CoreSample.acknowledgement(0, object: .manifest, epoch: 255)
        )
        #expect(talk.drainedChunks().map(\.index) == [0, 1, 2])
        talk.hear(CoreSample.acknowledgement(3, object: .manifest, epoch: 255))
        #expect(talk.sender.phase == .awaitingResult(.manifest))
        #expect(talk.sender.resumedFromByte == nil)
        talk.hear(CoreSample.acknowledgement(0, object: .image, epoch: 0))
        #expect(talk.sender.phase == .streaming(.image))
        #expect(talk.drainedChunks().first?.object == .image)
    }

    //= FRAME-3
    @Test(
        "What is dropped changes nothing: damage, another session, a sender's frame, nothing at all"
    )
    func droppedFrames() {
        let talk = SenderConversation()
        _ = talk.drain()
        let good = CoreSample.control(
            .acknowledgement(CoreSample.acknowledgement(0)),
            session: CoreSample.session
        )
        var damaged = good
        damaged[5] ^= 1
        let open = CoreSample.control(
            .poll(.init(session: CoreSample.session, object: .image, epoch: Epoch(0)))
        )
        let other = CoreSample.control(
            .acknowledgement(CoreSample.acknowledgement(0)),
            session: SessionNumber(9)
        )
        for (bytes, error) in [
            (damaged, FrameDecodingError.checksum), (other, .checksum), (open, .opcode),
            ([], .empty),
        ] {
            let dropped = talk.sender.receive(bytes.span.bytes, at: talk.now)
            #expect(dropped == error)
            #expect(talk.sender.phase == .opening)
            #expect(talk.drain().isEmpty)
        }
        let dropped = talk.sender.receive(good.span.bytes, at: talk.now)
        #expect(dropped == nil && talk.sender.phase == .streaming(.image))
    }

    @Test("A REQUEST that comes again changes nothing")
    func request() {
        let talk = SenderConversation()
        _ = talk.drain()
        talk.hear(.request(.init(session: CoreSample.session, nameTag: CoreSample.tag)))
        #expect(talk.drain().isEmpty && talk.sender.phase == .opening)
    }
}
