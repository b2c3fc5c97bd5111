import BLEOTACore
import Testing

@Suite("A sender streams")
struct SenderStreamingTests {
    //= WINDOW-2
    //= WINDOW-3
    @Test("P is on every half window, on its last frame, and on the object's last")
    func pollsOfAFixedWindow() {
        let talk = SenderConversation.streaming(image: 240 * 10)
        let first = talk.drainedChunks()
        #expect(first.map(\.index) == Array(0..<8))
        #expect(first.filter(\.isPoll).map(\.index) == [3, 7])
        talk.hear(CoreSample.acknowledgement(4, credit: .chunks(6)))
        let second = talk.drainedChunks()
        #expect(second.map(\.index) == [8, 9])
        #expect(second.filter(\.isPoll).map(\.index) == [9])
        #expect(second.last?.byteRange == 2_160..<2_400)
    }

    //= WINDOW-2
    @Test("P is on the last frame that credit allows")
    func pollAtTheEdge() {
        let talk = SenderConversation.streaming(CoreSample.acknowledgement(0, credit: .chunks(3)))
        let chunks = talk.drainedChunks()
        #expect(chunks.map(\.index) == [0, 1, 2] && chunks.map(\.isPoll) == [false, false, true])
    }

    //= WINDOW-3
    @Test("Of a window that credit makes smaller, P is on each half of the credit")
    func pollsOfCredit() {
        let talk = SenderConversation.streaming(CoreSample.acknowledgement(0, credit: .chunks(6)))
        // Not before the idle round trip is known.
        #expect(talk.drainedChunks().filter(\.isPoll).map(\.index) == [3, 5])
        talk.pass(30)
        talk.hear(CoreSample.acknowledgement(6, credit: .chunks(6)))
        #expect(talk.drainedChunks().filter(\.isPoll).map(\.index) == [8, 11])
    }

    //= REPAIR-5
    @Test("Where chunks were lost, the last of an object goes out twice, and only then")
    func endTwice() {
        let talk = SenderConversation.streaming(image: 240 * 10)
        #expect(talk.drainedChunks().map(\.index) == Array(0..<8))
        talk.hear(CoreSample.acknowledgement(1, shown: Array(0..<6)))
        let chunks = talk.drainedChunks()
        #expect(chunks.map(\.index) == [1, 8, 9, 9])
        #expect(chunks.map(\.isPoll) == [false, false, true, true])
        #expect(chunks.map(\.isRepeated) == [true, false, false, true])
        // The first 9 overtook 8, and no more.
        talk.hear(CoreSample.acknowledgement(8, shown: [0], answersPoll: true))
        #expect(talk.drainedChunks().map(\.index) == [8, 8])
        let clean = SenderConversation.streaming(image: 240 * 3)
        #expect(clean.drainedChunks().map(\.index) == [0, 1, 2])
    }

    //= REPAIR-5
    @Test("Timed bursts end once")
    func endOfTimedBursts() {
        let talk = SenderConversation.streaming(window: .fieldRule, image: 240 * 24)
        #expect(talk.drainedChunks().count == 12)
        talk.hear(CoreSample.acknowledgement(0, shown: Array(0..<11)))
        talk.pass(100)
        var again = talk.drainedChunks().map(\.index)
        #expect(again == [0] + Array(12..<23))
        talk.pass(100)
        again = talk.drainedChunks().map(\.index)
        #expect(again == [23])
    }

    //= WINDOW-2
    @Test("An acknowledged burst has P on its last frame, and the next waits for all of it")
    func acknowledgedBurst() {
        let talk = SenderConversation.streaming(
            window: .burst(chunkCount: 4, pause: .untilAcknowledged)
        )
        let chunks = talk.drainedChunks()
        #expect(chunks.map(\.isPoll) == [false, false, false, true])
        talk.hear(CoreSample.acknowledgement(3))
        #expect(talk.drain().isEmpty)
        talk.hear(CoreSample.acknowledgement(4))
        #expect(talk.drainedChunks().map(\.index) == [4, 5, 6, 7])
    }

    //= WINDOW-4
    //= WINDOW-2
    @Test("A timed burst has P on the object's last frame alone, and needs no ACK")
    func timedBurst() {
        let talk = SenderConversation.streaming(window: .fieldRule, image: 240 * 30)
        var all: [SenderTransmission.Chunk] = []
        var times: [Int] = []
        for _ in 0..<3 {
            let chunks = talk.drainedChunks()
            all += chunks
            times.append(talk.milliseconds)
            talk.passDeadline()
        }
        #expect(all.map(\.index) == Array(0..<30))
        #expect(all.filter(\.isPoll).map(\.index) == [29])
        #expect(times == [0, 100, 200])
    }

    @Test("A timed pause counts from when the last frame of the burst was handed on")
    func slowHandOver() {
        let talk = SenderConversation.streaming(window: .fieldRule, image: 240 * 30)
        for _ in 0..<12 {
            #expect(talk.sender.nextTransmission(at: talk.now) != nil)
            talk.pass(3)
        }
        #expect(talk.drain().isEmpty)
        #expect(talk.passDeadline() == 100)
        #expect(talk.milliseconds == 136)
        #expect(talk.drainedChunks().count == 12)
    }

    //= CREDIT-4
    //= WINDOW-1
    @Test("Unlimited credit: bursts of 12, and never 16,384 chunks past what is acknowledged")
    func unlimitedCredit() {
        let talk = SenderConversation.streaming(
            CoreSample.acknowledgement(0, credit: .unlimited),
            window: .automatic,
            image: 240 * 20_000,
            ringCount: 16_384
        )
        var indices: Set<UInt32> = []
        var answerCount = 0
        while talk.milliseconds < 145_000 {
            let sent = talk.drain()
            #expect(sent.count <= 13)
            for transmission in sent {
                switch transmission {
                case .data(let chunk): indices.insert(chunk.index)
                case .control:
                    // All has arrived but the second chunk, and the ACK shows one more each time.
                    answerCount += 1
                    talk.hear(
                        CoreSample.acknowledgement(
                            1,
                            credit: .unlimited,
                            shown: Array(0..<answerCount),
                            answersPoll: true
                        )
                    )
                case .echo: Issue.record("the size is in doubt")
                }
            }
            talk.passDeadline()
        }
        #expect(talk.sender.outcome == nil)
        #expect(indices.count == 16_384 && indices.max() == 16_383)
        talk.hear(CoreSample.acknowledgement(16_384, credit: .unlimited))
        talk.pass(100)
        #expect(talk.drainedChunks().first?.index == 16_384)
    }

    //= CREDIT-5
    @Test("In timed bursts the sender polls after 2 s without news, at doubled pauses up to 5 s")
    func pollInTimedBursts() {
        let talk = SenderConversation.streaming(
            CoreSample.acknowledgement(0, credit: .unlimited),
            window: .burst(chunkCount: 1, pause: .time(.milliseconds(500))),
            image: 240 * 1_000
        )
        var polledAt: [Int] = []
        while polledAt.count < 6 {
            for transmission in talk.drain() {
                switch transmission {
                case .data(let chunk): #expect(!chunk.isPoll)
                case .control:
                    polledAt.append(talk.milliseconds)
                    // The first answer has news, the others say the same again.
                    talk.hear(CoreSample.acknowledgement(1, credit: .unlimited, answersPoll: true))
                case .echo: Issue.record("the size is in doubt")
                }
            }
            talk.passDeadline()
        }
        #expect(polledAt == [2_000, 4_000, 8_000, 13_000, 18_000, 23_000])
    }

    //= REPAIR-7
    @Test("In timed bursts, what is missing in the answer to such a POLL is sent again first")
    func missingInAnswer() {
        let talk = SenderConversation.streaming(
            CoreSample.acknowledgement(0, credit: .unlimited),
            window: .burst(chunkCount: 2, pause: .time(.milliseconds(400))),
            image: 240 * 1_000
        )
        var sent: [UInt32] = []
        var polledAt: [Int] = []
        var answers = [
            // Chunk 1 arrives and is news. What comes after it finds no room, and tells nothing.
            CoreSample.acknowledgement(0, credit: .unlimited, shown: [0], answersPoll: true),
            CoreSample.acknowledgement(0, credit: .unlimited, shown: [0], answersPoll: true),
        ]
        while !answers.isEmpty {
            for transmission in talk.drain() {
                switch transmission {
                case .data(let chunk): sent.append(chunk.index)
                case .control:
                    polledAt.append(talk.milliseconds)
                    talk.hear(answers.removeFirst())
                case .echo: Issue.record("the size is in doubt")
                }
            }
            talk.passDeadline()
        }
        #expect(polledAt == [2_000, 4_000])
        // Chunk 0 was overtaken. All but what was sent in the last two seconds is sent again.
        let before = Array(sent)
        #expect(before.filter { $0 == 0 }.count == 2)
        var again: [UInt32] = []
        while again.count < 12 {
            again += talk.drainedChunks().map(\.index)
            talk.passDeadline()
        }
        #expect(again.starts(with: 2..<10), "\(before), then \(again)")
    }

    //= REPAIR-6
    @Test(
        "What is sent again, and acknowledged too soon for that, was not lost, nor is anything else"
    )
    func acknowledgedTooSoon() {
        let talk = SenderConversation.streaming(window: .fixed(chunkCount: 8))
        #expect(talk.drainedChunks().count == 8)
        talk.pass(100)
        talk.hear(CoreSample.acknowledgement(1))
        #expect(talk.drainedChunks().map(\.index) == [8])
        // The link swaps the chunks 1 and 2, and the ACKs come one after the other.
        talk.hear(CoreSample.acknowledgement(1, shown: [0]))
        #expect(talk.drainedChunks().map(\.index) == [1, 9])
        talk.pass(1)
        talk.hear(CoreSample.acknowledgement(3))
        #expect(talk.drainedChunks().map(\.index) == [10])
        // From then on one that is overtaken is waited for.
        talk.hear(CoreSample.acknowledgement(3, shown: [0, 1]))
        #expect(talk.drainedChunks().map(\.index) == [11, 12])
        talk.hear(CoreSample.acknowledgement(3, shown: [0, 1, 2]))
        #expect(talk.drainedChunks().map(\.index) == [13])
    }

    /// The first round trip took 100 ms, the latest 400 ms.
    //= REPAIR-6
    @Test("What a long queue would not have let arrive so soon was not lost either")
    func acknowledgedTooSoonForQueue() {
        let talk = SenderConversation.streaming(window: .fixed(chunkCount: 8))
        #expect(talk.drainedChunks().count == 8)
        talk.pass(100)
        talk.hear(CoreSample.acknowledgement(1))
        #expect(talk.drainedChunks().map(\.index) == [8])
        talk.pass(300)
        talk.hear(CoreSample.acknowledgement(2, shown: [0]))
        #expect(talk.drainedChunks().map(\.index) == [2, 9, 10])
        talk.pass(40)
        talk.hear(CoreSample.acknowledgement(4))
        #expect(talk.drainedChunks().map(\.index) == [11])
    }

    /// The receiver makes frames of 18 bytes, where the sender's have more.
    //= ACK-14
    @Test("No chunk past a bitmap that the receiver always cuts is lost for what came later")
    func bitmapCutByReceiver() {
        let talk = SenderConversation.streaming(window: .fixed(chunkCount: 40))
        #expect(talk.drainedChunks().count == 40)
        talk.pass(100)
        // Of the bits that the frame has room for, the last is that of chunk 24.
        for _ in 0..<16 { talk.hear(CoreSample.acknowledgement(0, shown: Array(0..<24))) }
        #expect(talk.drainedChunks().map(\.index) == [0] + Array(40..<64))
        talk.pass(100)
        // That it arrived, when all others were sent, says nothing of those.
        talk.hear(CoreSample.acknowledgement(25, shown: Array(0..<24)))
        #expect(talk.drainedChunks().map(\.index).allSatisfy { $0 == 25 || $0 >= 64 })
    }

    //= CREDIT-4
    @Test("Credit that becomes unlimited within an epoch is met with bursts from then on")
    func becomesUnlimited() {
        let talk = SenderConversation.streaming(CoreSample.acknowledgement(0, credit: .chunks(4)))
        #expect(talk.drainedChunks().count == 4)
        talk.hear(CoreSample.acknowledgement(4, credit: .unlimited))
        let chunks = talk.drainedChunks()
        #expect(chunks.count == 12 && chunks.allSatisfy { !$0.isPoll })
    }

    @Test(
        "A burst of another size is kept towards unlimited credit, an acknowledged one gets a pause"
    )
    func unlimitedBurst() {
        for pause in [BurstPause.untilAcknowledged, .time(.milliseconds(50))] {
            let talk = SenderConversation.streaming(
                CoreSample.acknowledgement(0, credit: .unlimited),
                window: .burst(chunkCount: 5, pause: pause)
            )
            #expect(talk.drainedChunks().count == 5)
            #expect(talk.passDeadline() == (pause == .untilAcknowledged ? 100 : 50))
            #expect(talk.drainedChunks().count == 5)
        }
    }

    @Test("The last frame of timed bursts is asked for again even if other ACKs come between")
    func lastOfTimedBursts() {
        for isOrdered in [true, false] {
            let talk = SenderConversation.streaming(
                window: .fieldRule,
                isOrdered: isOrdered,
                image: 240 * 6
            )
            #expect(talk.drainedChunks().count == 6)
            // An ACK that was on its way already; the frame with P is lost.
            talk.hear(CoreSample.acknowledgement(5))
            var waited = 0
            var again: [SenderTransmission.Chunk] = []
            while again.isEmpty, waited < 5_000 {
                waited += talk.passDeadline()
                again = talk.drainedChunks()
            }
            #expect(again.map(\.index) == [5] && again.map(\.isPoll) == [true])
            #expect(waited < 1_000)
        }
    }

    //= REPAIR-1
    //= REPAIR-2
    @Test("Where order is kept one later arrival is loss, and the lost go before the new")
    func lossInOrder() {
        let talk = SenderConversation.streaming()
        _ = talk.drain()
        talk.hear(CoreSample.acknowledgement(1, shown: [1, 4]))
        // 1, 2, 4 and 5 are overtaken by 6 but 3 and 6 arrived; 7 is still on its way.
        let chunks = talk.drainedChunks()
        #expect(chunks.map(\.index) == [1, 2, 4, 5, 8, 9, 10])
        #expect(chunks.map(\.isRepeated) == [true, true, true, true, false, false, false])
        #expect(chunks[0].byteRange == 240..<480)
        #expect(talk.sender.statistics.dataFramesResent == 4)
    }

    //= REPAIR-1
    //= WINDOW-5
    @Test("What a bitmap that fills its frame was cut off from is not lost, and has left the link")
    func cutBitmap() {
        // 20 bytes have room for 5 bytes of bitmap, 40 chunks.
        let talk = SenderConversation.streaming(
            window: .fixed(chunkCount: 64),
            frameByteCountMax: 20
        )
        #expect(talk.drainedChunks().count == 64)
        let whole = Array(0..<40)
        talk.pass(550)
        talk.hear(CoreSample.acknowledgement(1, shown: whole.filter { $0 != 7 }))
        #expect(talk.drainedChunks().filter(\.isRepeated).map(\.index) == [1, 9])
        // For so long no queue is silent.
        #expect(talk.passDeadline() > 500)
        #expect(talk.drainedChunks().map(\.index) == [1])
        talk.pass(500)
        talk.hear(
            CoreSample.acknowledgement(9, credit: .chunks(200), shown: whole, answersPoll: true)
        )
        // 1 was sent after all others, and arrived; 9 did not. What came of 50 to 63 is not told,
        // but they have left the link.
        let chunks = talk.drainedChunks()
        #expect(chunks.filter(\.isRepeated).map(\.index) == [9])
        #expect(chunks.count == 64)
        // A bitmap with room left says that they are lost.
        talk.hear(CoreSample.acknowledgement(50, credit: .chunks(200), shown: [3, 60]))
        #expect(talk.drainedChunks().filter(\.isRepeated).first?.index == 50)
    }

    //= REPAIR-1
    //= REPAIR-8
    @Test("Where order is not kept, a chunk is lost when three windows were sent after it")
    func lossOutOfOrder() {
        let talk = SenderConversation.streaming(window: .fixed(chunkCount: 4), isOrdered: false)
        #expect(talk.drainedChunks().map(\.index) == [0, 1, 2, 3])
        for arrived in stride(from: 3, through: 9, by: 3) {
            talk.hear(CoreSample.acknowledgement(0, shown: Array(0..<arrived)))
            let next = UInt32(arrived)
            #expect(talk.drainedChunks().map(\.index) == [next + 1, next + 2, next + 3])
        }
        talk.hear(CoreSample.acknowledgement(0, shown: Array(0..<11)))
        #expect(talk.drainedChunks().map(\.index) == [13, 14])
        talk.hear(CoreSample.acknowledgement(0, shown: Array(0..<12)))
        #expect(talk.drainedChunks().map(\.index) == [0, 15])
    }

    //= CREDIT-1
    //= ACK-10
    @Test("Credit that moves back forbids nothing, and what a late ACK shows as arrived counts")
    func lateAccount() {
        let talk = SenderConversation.streaming(CoreSample.acknowledgement(0, credit: .chunks(20)))
        _ = talk.drain()
        talk.hear(CoreSample.acknowledgement(4, credit: .chunks(16), durable: 480))
        #expect(talk.drainedChunks().map(\.index) == [8, 9, 10, 11])
        // Older than the last: cumulative 2, edge 7, nothing durable, but it shows 5.
        talk.hear(CoreSample.acknowledgement(2, credit: .chunks(5), shown: [2]))
        #expect(talk.sender.phase == .streaming(.image))
        // 4 was overtaken by 5, and with 5 gone from the flight there is room for a new one.
        #expect(talk.drainedChunks().map(\.index) == [4, 12])
        talk.hear(CoreSample.acknowledgement(12, credit: .chunks(8)))
        #expect(talk.drainedChunks().map(\.index) == Array(13..<20))
    }

    //= ACK-8
    @Test("An epoch that is older by 1 to 128 is ignored, one newer by 1 to 127 adopted whole")
    func epochs() {
        for difference in 1...255 as ClosedRange<UInt8> {
            let talk = SenderConversation.streaming(CoreSample.acknowledgement(10, epoch: 200))
            _ = talk.drain()
            talk.hear(CoreSample.acknowledgement(3, epoch: 200 &+ difference))
            let isNewer = difference <= 127
            #expect(talk.drainedChunks().first?.index == (isNewer ? 3 : nil))
        }
    }

    @Test("An account of another object in the same epoch is ignored")
    func otherObject() {
        let talk = SenderConversation.streaming(CoreSample.acknowledgement(0))
        _ = talk.drain()
        talk.hear(CoreSample.acknowledgement(2, object: .manifest))
        #expect(talk.drain().isEmpty && talk.sender.phase == .streaming(.image))
    }

    //= ACK-11
    @Test("An account that can't be true ends the session", arguments: [false, true])
    func malformedAccounts(isFirst: Bool) {
        var acknowledgements = [
            CoreSample.acknowledgement(101),
            CoreSample.acknowledgement(90, shown: [9]),
            CoreSample.acknowledgement(100, shown: [0]),
            CoreSample.acknowledgement(100, durable: 24_001),
        ]
        if !isFirst {
            acknowledgements += [
                CoreSample.acknowledgement(65_535), CoreSample.acknowledgement(10, durable: 2_640),
            ]
        }
        for acknowledgement in acknowledgements {
            let talk = SenderConversation.streaming(
                isFirst ? acknowledgement : CoreSample.acknowledgement(10)
            )
            if !isFirst { talk.hear(acknowledgement) }
            #expect(talk.sender.outcome == .aborted(.malformedAccount))
            #expect(
                talk.drainedControl() == [
                    .close(.init(session: CoreSample.session, reason: .malformedAccount))
                ]
            )
        }
    }

    //= ACK-11
    @Test("Nor may it lie when everything has arrived")
    func malformedWhileSettling() {
        for acknowledgement in [
            CoreSample.acknowledgement(101), CoreSample.acknowledgement(100, durable: 1_000_000),
        ] {
            let talk = SenderConversation.streaming(CoreSample.acknowledgement(100))
            #expect(talk.sender.phase == .awaitingResult(.image))
            talk.hear(acknowledgement)
            #expect(talk.sender.outcome == .aborted(.malformedAccount))
            #expect(talk.sender.durableByteCount == 0)
        }
    }

    @Test("More durable bytes while settling are noted, and count as progress")
    func durableWhileSettling() {
        let talk = SenderConversation.streaming(CoreSample.acknowledgement(100, durable: 4_096))
        talk.pass(1_000)
        talk.hear(CoreSample.acknowledgement(100, durable: 24_000))
        #expect(talk.sender.durableByteCount == 24_000)
        #expect(talk.sender.resumedFromByte == 4_096)
    }

    //= CREDIT-2
    //= TIME-2
    @Test("Without credit the sender polls with doubled pauses up to 2 s, and is stalled at 60 s")
    func zeroCredit() {
        let talk = SenderConversation.streaming(CoreSample.acknowledgement(0, credit: .chunks(0)))
        var pauses: [Int] = []
        while talk.sender.outcome == nil {
            pauses.append(talk.passDeadline())
            if talk.sender.outcome != nil { break }
            #expect(
                talk.drain() == [
                    .control(
                        .poll(.init(session: CoreSample.session, object: .image, epoch: Epoch(1)))
                    )
                ]
            )
            talk.hear(CoreSample.acknowledgement(0, credit: .chunks(0), answersPoll: true))
        }
        #expect(Array(pauses.prefix(4)) == [600, 1_200, 2_000, 2_000])
        #expect(talk.milliseconds == 60_000)
        #expect(talk.sender.outcome == .aborted(.stalled))
    }

    //= CREDIT-2
    @Test("Credit that arrives ends the polling")
    func creditArrives() {
        let talk = SenderConversation.streaming(CoreSample.acknowledgement(0, credit: .chunks(0)))
        talk.passDeadline()
        _ = talk.drain()
        talk.hear(CoreSample.acknowledgement(0, credit: .chunks(2)))
        #expect(talk.drainedChunks().map(\.index) == [0, 1])
    }

    //= REPAIR-3
    @Test("Unanswered: the oldest with P, then POLL as well, at doubled pauses, silent at 10 s")
    func discovery() {
        let talk = SenderConversation.streaming()
        #expect(talk.drainedChunks().count == 8)
        var pauses: [Int] = []
        var polls: [Int] = []
        while talk.sender.outcome == nil {
            pauses.append(talk.passDeadline())
            let sent = talk.drain()
            if talk.sender.outcome != nil { break }
            polls.append(sent.filter { if case .control(.poll) = $0 { true } else { false } }.count)
            guard case .data(let chunk) = sent.last else {
                Issue.record("no chunk")
                return
            }
            #expect(chunk.index == 0 && chunk.isPoll && chunk.isRepeated)
        }
        #expect(pauses == [600, 1_200, 2_400, 4_800, 1_000])
        #expect(polls == [0, 1, 1, 1])
        #expect(talk.sender.outcome == .aborted(.silent))
        #expect(talk.sender.statistics.probeTimeouts == 4)
    }

    //= REPAIR-3
    //= REPAIR-1
    /// One probe a timeout took three timeouts to tell that the rest was lost, for each burst of
    /// which a queue took the end (seed 10000187874).
    @Test("Where the link does not keep order, three late probes tell that the rest is lost")
    func threeProbes() {
        let talk = SenderConversation.streaming(
            window: .fixed(chunkCount: 16),
            isOrdered: false
        )
        #expect(talk.drainedChunks().count == 16)
        talk.pass(550)
        talk.hear(CoreSample.acknowledgement(1))
        #expect(talk.drainedChunks().map(\.index) == [16])
        talk.pass(1_500)
        talk.hear(CoreSample.acknowledgement(2))
        #expect(talk.drainedChunks().map(\.index) == [17])
        #expect(talk.passDeadline() > 2_000)
        let probes = talk.drainedChunks()
        #expect(probes.map(\.index) == [2, 3, 4] && probes.allSatisfy { $0.isPoll })
        talk.pass(1_500)
        talk.hear(CoreSample.acknowledgement(3, answersPoll: true))
        talk.hear(CoreSample.acknowledgement(4, answersPoll: true))
        #expect(talk.drainedChunks().map(\.index) == [18, 19])
        talk.hear(CoreSample.acknowledgement(5, answersPoll: true))
        #expect(talk.drainedChunks().map(\.index) == Array(5...17) + [20])
    }

    //= REPAIR-3
    /// Over a link that cut all but the last chunk, behind a queue of seconds, each session was
    /// silent before its second timeout, and the chunks never became shorter (seed 7700688432).
    @Test("After a long timeout POLL goes with the first probe, before the silence is too long")
    func longProbe() {
        let talk = SenderConversation.streaming()
        _ = talk.drain()
        talk.pass(1_500)
        _ = talk.drain()
        talk.hear(CoreSample.acknowledgement(0, shown: [6], answersPoll: true))
        #expect(!talk.drainedChunks().isEmpty)
        #expect(talk.passDeadline() > 2_000)
        #expect(talk.drainedControl().count == 1)
    }

    //= REPAIR-4
    @Test("A round trip is measured less the delay, not from repeated chunks, not with delay 255")
    func roundTrip() {
        let talk = SenderConversation.streaming(window: .fixed(chunkCount: 1))
        _ = talk.drain()
        talk.pass(100)
        talk.hear(CoreSample.acknowledgement(1, delay: 255))
        #expect(talk.sender.roundTrip == nil)
        _ = talk.drain()
        talk.passDeadline()
        _ = talk.drain()
        talk.pass(30)
        talk.hear(CoreSample.acknowledgement(2))
        #expect(talk.sender.roundTrip == nil)
        _ = talk.drain()
        talk.pass(100)
        talk.hear(CoreSample.acknowledgement(3, delay: 40))
        #expect(talk.sender.roundTrip == .milliseconds(60))
        #expect(talk.sender.statistics.acknowledgementsHeard == 4)
    }

    //= REPAIR-4
    @Test("A round trip is not measured from a chunk that a cut bitmap had no room for")
    func roundTripPastCutBitmap() {
        let talk = SenderConversation.streaming(
            window: .fixed(chunkCount: 64),
            frameByteCountMax: 18
        )
        _ = talk.drain()
        talk.pass(100)
        talk.hear(CoreSample.acknowledgement(0, shown: Array(1..<22)))
        #expect(talk.sender.roundTrip == .milliseconds(100))
        talk.pass(5_000)
        talk.hear(CoreSample.acknowledgement(40))
        #expect(talk.sender.roundTrip == .milliseconds(100))
        // What goes out after that account is measured again.
        _ = talk.drain()
        talk.pass(20)
        talk.hear(CoreSample.acknowledgement(104))
        #expect(talk.sender.roundTrip == .milliseconds(90))
    }

    @Test("A window larger than the memory is cut to the memory")
    func smallMemory() {
        let talk = SenderConversation.streaming(
            window: .fixed(chunkCount: 512),
            image: 240 * 100,
            ringCount: 16
        )
        let chunks = talk.drainedChunks()
        #expect(chunks.count == 16 && chunks.last?.isPoll == true)
        talk.hear(CoreSample.acknowledgement(16))
        #expect(talk.drainedChunks().count == 16)
    }
}
