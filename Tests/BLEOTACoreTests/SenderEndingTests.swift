import BLEOTACore
import Testing

@Suite("A sender ends")
struct SenderEndingTests {
    /// A conversation in each state but ended.
    private static func inEveryState() -> [SenderConversation] {
        let opening = SenderConversation()
        _ = opening.drain()
        let awaiting = SenderConversation.streaming(CoreSample.acknowledgement(100))
        let discovery = SenderConversation.streaming()
        provokeSizeDiscovery(discovery, CoreSample.acknowledgement(0))
        #expect(discovery.sender.phase == .discoveringSize)
        return [opening, .streaming(), awaiting, discovery]
    }

    /// The peer answers every poll with an account that does not change.
    private static func provokeSizeDiscovery(
        _ talk: SenderConversation,
        _ acknowledgement: Acknowledgement
    ) {
        for _ in 0..<3 {
            _ = talk.drain()
            talk.hear(acknowledgement)
            talk.passDeadline()
        }
    }

    //= END-3
    //= END-4
    @Test("RESULT verified with the right receipt is success, and CLOSE 0 answers it each time")
    func verified() {
        for talk in Self.inEveryState() {
            _ = talk.drain()
            talk.hearResult(.verified, detail: CoreSample.digestPrefix)
            #expect(talk.sender.outcome == .verified)
            #expect(talk.sender.phase == .ended(.verified))
            let close = SenderControl.close(.init(session: CoreSample.session, reason: .verified))
            #expect(talk.drainedControl() == [close])
            talk.hearResult(.verified, detail: CoreSample.digestPrefix)
            #expect(talk.drainedControl() == [close])
            #expect(talk.sender.nextDeadline == nil && talk.drain().isEmpty)
        }
    }

    //= END-4
    @Test("RESULT verified with another receipt is no success")
    func wrongDigest() {
        let talk = SenderConversation.streaming(CoreSample.acknowledgement(100))
        talk.hearResult(.verified, detail: 5)
        #expect(talk.sender.outcome == .wrongDigest(5))
        talk.hearResult(.verified, detail: CoreSample.digestPrefix)
        #expect(talk.sender.outcome == .wrongDigest(5))
    }

    //= END-3
    @Test("A refusal is told with its detail, in every state")
    func refused() {
        for talk in Self.inEveryState() {
            _ = talk.drain()
            talk.hearResult(.noSpace, detail: 77)
            #expect(talk.sender.outcome == .refused(.noSpace, detail: 77))
            #expect(
                talk.drainedControl() == [
                    .close(.init(session: CoreSample.session, reason: .verified))
                ]
            )
        }
    }

    //= END-5
    @Test("The application can give up in every state, and CLOSE says so")
    func cancelled() {
        for talk in Self.inEveryState() {
            _ = talk.drain()
            talk.sender.abort(.cancelled)
            #expect(talk.sender.outcome == .aborted(.cancelled))
            talk.sender.abort(.sourceFailed)
            #expect(talk.sender.outcome == .aborted(.cancelled))
            #expect(
                talk.drainedControl() == [
                    .close(.init(session: CoreSample.session, reason: .cancelled))
                ]
            )
        }
    }

    //= TIME-1
    //= TIME-4
    @Test(
        "A peer that falls silent in any state ends the session about 10 s after the next question"
    )
    func silentPeer() {
        for talk in Self.inEveryState() {
            let start = talk.milliseconds
            var steps = 0
            while talk.sender.outcome == nil, steps < 100 {
                _ = talk.drain()
                talk.passDeadline()
                steps += 1
            }
            #expect(talk.sender.outcome == .aborted(.silent))
            #expect((9_000...11_000).contains(talk.milliseconds - start))
        }
    }

    //= OPEN-7
    @Test("RESULT no session opens again with the next session number")
    func noSession() {
        for talk in Self.inEveryState().dropFirst() {
            _ = talk.drain()
            talk.hearResult(.noSession)
            #expect(talk.sender.phase == .opening)
            #expect(talk.sender.session == CoreSample.session.next)
            guard case .control(.open(let open)) = talk.drain().first else {
                Issue.record("no OPEN")
                continue
            }
            #expect(open.session == CoreSample.session.next)
            #expect(talk.sender.statistics.reopenings == 1)
        }
    }

    //= ECHO-2
    @Test("A link that cuts frames past 100 bytes is found out, and the session goes on with less")
    func cuttingLink() {
        let talk = SenderConversation.streaming(frameByteCountMax: 512)
        #expect(talk.sender.chunkSize.byteCount == 488)
        Self.provokeSizeDiscovery(talk, CoreSample.acknowledgement(0))
        #expect(talk.sender.phase == .discoveringSize)
        #expect(talk.drainedEchoes() == [16, 20, 60, 100, 180, 244, 492])
        for byteCount in [16, 20, 60, 100] { talk.hearEcho(byteCount) }
        #expect(talk.sender.phase == .discoveringSize)
        talk.passDeadline()
        #expect(talk.drainedEchoes().count == 7)
        talk.passDeadline()
        #expect(talk.sender.phase == .opening)
        #expect(talk.sender.chunkSize.byteCount == 96)
        #expect(talk.sender.session == CoreSample.session.next)
        _ = talk.drain()
        talk.hear(CoreSample.acknowledgement(0))
        #expect(talk.drainedChunks().first?.byteRange == 0..<96)
    }

    //= ECHO-2
    @Test("A present size that none of the fixed ones is, is probed as well, and kept if answered")
    func presentSize() {
        let talk = SenderConversation.streaming(frameByteCountMax: 200)
        Self.provokeSizeDiscovery(talk, CoreSample.acknowledgement(0))
        #expect(talk.drainedEchoes() == [16, 20, 60, 100, 180, 200])
        talk.hear(.echoReply(.init(token: 200, byteCount: 180)))
        #expect(talk.sender.phase == .discoveringSize)
        talk.hearEcho(200)
        #expect(talk.sender.phase == .opening && talk.sender.chunkSize.byteCount == 196)
    }

    //= ACK-13
    @Test("A receiver that answers with an older epoch alone was restarted: it is opened again")
    func olderAnswers() {
        let talk = SenderConversation.streaming(CoreSample.acknowledgement(0, epoch: 5))
        _ = talk.drain()
        // A whole chunk has passed, so that its size is in no doubt.
        talk.hear(CoreSample.acknowledgement(1, epoch: 5))
        for _ in 0..<2 {
            _ = talk.drain()
            talk.passDeadline()
            #expect(talk.sender.phase == .streaming(.image))
            talk.hear(CoreSample.acknowledgement(0, epoch: 4, answersPoll: true))
        }
        _ = talk.drain()
        talk.passDeadline()
        #expect(talk.sender.phase == .opening)
        #expect(talk.sender.session == CoreSample.session.next)
        #expect(talk.sender.chunkSize.byteCount == 240)
    }

    @Test("A short last chunk that passes does not prove that whole ones do")
    func shortManifest() {
        let talk = SenderConversation(manifest: 66)
        _ = talk.drain()
        talk.hear(CoreSample.acknowledgement(0, object: .manifest, epoch: 1))
        _ = talk.drain()
        talk.hear(CoreSample.acknowledgement(1, object: .manifest, epoch: 1))
        talk.hear(CoreSample.acknowledgement(0, epoch: 2))
        Self.provokeSizeDiscovery(talk, CoreSample.acknowledgement(0, epoch: 2))
        #expect(talk.sender.phase == .discoveringSize)
    }

    //= TIME-2
    @Test("A peer that answers everything but gets no data is given up after 60 s")
    func dataHole() {
        let talk = SenderConversation.streaming(window: .automatic)
        for _ in 0..<1_000 where talk.sender.outcome == nil {
            while let transmission = talk.sender.nextTransmission(at: talk.now) {
                switch transmission {
                case .control(.open), .control(.poll):
                    let epoch = UInt8(truncatingIfNeeded: talk.sender.statistics.reopenings + 1)
                    talk.hear(CoreSample.acknowledgement(0, epoch: epoch, answersPoll: true))
                case .control(.close), .control(.query), .control(.challenge), .data, .echo:
                    break
                }
            }
            talk.passDeadline()
        }
        #expect(talk.sender.outcome == .aborted(.stalled))
        #expect(talk.milliseconds == 60_000)
        #expect(talk.sender.statistics.reopenings > 1)
    }
}
