import BLEOTACore
import BLEOTAHost
import BLEOTATestSupport
import Testing

@Suite("A receiver's account")
struct ReceiverAcknowledgementTests {
    //= ACK-4
    @Test("ACK at once: first of an epoch, P, P again, POLL, a new gap, the object's end")
    func atOnce() {
        let talk = ReceiverConversation()
        talk.open()
        _ = talk.tasks()
        talk.plan(.image)
        #expect(talk.drainedAcknowledgements().map(\.truncatedCumulative) == [0])
        talk.chunk(0)
        #expect(talk.drain().isEmpty)
        for _ in 0..<2 {
            talk.chunk(1, isPoll: true)
            let acknowledgement = talk.drainedAcknowledgements().first
            #expect(
                acknowledgement?.truncatedCumulative == 2 && acknowledgement?.answersPoll == true
            )
        }
        talk.poll()
        #expect(talk.drainedAcknowledgements().map(\.answersPoll) == [true])
        talk.chunk(4)
        let acknowledgement = talk.drainedAcknowledgements().first
        #expect(acknowledgement?.shown == [1] && acknowledgement?.answersPoll == false)
        // The same gap is no news, nor one that closes.
        talk.chunk(5)
        talk.chunk(3)
        #expect(talk.drain().isEmpty)
        talk.chunk(8)
        #expect(talk.drainedAcknowledgements().first?.shown == [0, 1, 2, 5])
        for index: UInt32 in 2..<86 {
            talk.chunk(index)
            for case .write(_, let block) in talk.tasks() where block < 4 {
                talk.handle(.stored(block: block))
            }
            if index < 85 { _ = talk.drain() }
        }
        #expect(talk.drainedAcknowledgements().last?.truncatedCumulative == 86)
    }

    //= ACK-5
    @Test("Otherwise within 250 ms of the first data that is not acknowledged, with its delay")
    func delayed() {
        let talk = ReceiverConversation.receiving()
        talk.chunk(0)
        #expect(talk.receiver.nextDeadline == talk.now + .milliseconds(250))
        talk.pass(25)
        talk.chunk(1)
        talk.pass(224)
        #expect(talk.drain().isEmpty)
        talk.pass(1)
        let acknowledgement = talk.drainedAcknowledgements().first
        #expect(
            acknowledgement?.truncatedCumulative == 2 && acknowledgement?.delayMilliseconds == 225
        )
        #expect(talk.receiver.statistics.acknowledgementsSent == 2)
    }

    //= ACK-4
    //= CREDIT-3
    @Test("A link that holds few frames gets little credit, and more before it is used up")
    func creditOfLink() {
        var options = ReceiverOptions()
        options.creditCountMax = 8
        let talk = ReceiverConversation(options: options)
        talk.open()
        _ = talk.tasks()
        talk.plan(.image)
        #expect(talk.drainedAcknowledgements().map(\.credit) == [.chunks(8)])
        // Three quarters are used up with the seventh.
        for index: UInt32 in 0..<6 {
            talk.chunk(index)
            #expect(talk.drain().isEmpty)
        }
        talk.chunk(6)
        let acknowledgement = talk.drainedAcknowledgements().first
        #expect(acknowledgement?.truncatedCumulative == 7 && acknowledgement?.credit == .chunks(8))
        // Of a gap the edge stays where it is, and nothing past it is taken.
        talk.chunk(8)
        #expect(talk.drainedAcknowledgements().map(\.credit) == [.chunks(8)])
        talk.chunk(15)
        #expect(talk.drainedAcknowledgements().isEmpty)
        talk.poll()
        #expect(talk.drainedAcknowledgements().first?.shown == [0])
    }

    //= ACK-4
    //= CREDIT-3
    @Test(
        "Credit is what the block buffers hold, and its return is told at once to who waits for it"
    )
    func credit() {
        let talk = ReceiverConversation.receiving(image: 20 * 4_096)
        talk.poll()
        let first = talk.drainedAcknowledgements().first
        // Four buffers of 4,096 bytes: 68 whole chunks of 240.
        #expect(first?.credit == .chunks(68))
        talk.chunks(0..<68)
        talk.pass(250)
        #expect(talk.drainedAcknowledgements().first?.credit == .chunks(0))
        #expect(talk.tasks().count == 3)
        talk.handle(.stored(block: 0))
        #expect(talk.drainedAcknowledgements().map(\.credit) == [.chunks(17)])
        // Nothing is told of an edge that is far from being reached.
        talk.chunks(68..<70)
        _ = talk.drain()
        #expect(talk.receiver.statistics.dataFramesPlaced == 70)
    }

    /// It once told the first block that became free, and the others when that one had been used: a
    /// sender whose credit is a few blocks waited for a round trip in which nothing was on the way.
    //= ACK-4
    @Test("Where the sender had to wait, each block that becomes free is told while little is left")
    func eachBlock() {
        let talk = ReceiverConversation.receiving(image: 20 * 4_096)
        talk.chunks(0..<68)
        talk.pass(40)
        _ = talk.drain()
        #expect(talk.tasks().count == 3)
        // 34 of 68 chunks are half of what the buffers hold.
        for (block, credit) in [(0, 17), (1, 34)] {
            talk.handle(.stored(block: block))
            #expect(talk.drainedAcknowledgements().map(\.credit) == [.chunks(UInt16(credit))])
        }
        talk.handle(.stored(block: 2))
        #expect(talk.drainedAcknowledgements().isEmpty)
        // The block is told when the next chunk makes it less than half.
        talk.chunk(68)
        #expect(talk.drainedAcknowledgements().map(\.credit) == [.chunks(50)])
    }

    //= END-7
    @Test("While there is no credit to give: BUSY after 100 ms, then every second, and when polled")
    func busyWriting() {
        let talk = ReceiverConversation.receiving(image: 20 * 4_096)
        talk.chunks(0..<68)
        talk.pass(99)
        #expect(talk.drain().isEmpty)
        talk.pass(1)
        #expect(
            talk.drainedBusy() == [
                .init(phase: .writing, object: .image, epoch: Epoch(0), millisecondsLeft: 0)
            ]
        )
        talk.pass(150)
        #expect(talk.drainedAcknowledgements().count == 1)
        talk.pass(849)
        #expect(talk.drain().isEmpty)
        talk.pass(1)
        #expect(talk.drainedBusy().count == 1)
        talk.pass(300)
        talk.poll()
        let answer = talk.drain()
        #expect(answer.count == 2)
        #expect(answer.contains { if case .busy = $0.frame { true } else { false } })
        #expect(answer.contains { if case .acknowledgement = $0.frame { true } else { false } })
    }

    //= END-7
    @Test("BUSY while looking up, judging and verifying", arguments: [0, 2, 3])
    func busy(state: Int) {
        let talk = ReceiverConversation.inEveryState()[state]
        talk.pass(99)
        #expect(talk.drain().isEmpty)
        talk.pass(1)
        let phase = talk.drainedBusy().map(\.phase)
        #expect(phase == [[.lookingUp], [], [.judging], [.verifying]][state])
        talk.pass(999)
        #expect(talk.drain().isEmpty)
        talk.pass(1)
        #expect(talk.drainedBusy().count == 1)
        talk.poll()
        #expect(talk.drainedBusy().count == 1)
        talk.open()
        #expect(talk.drainedBusy().count == 1)
    }

    //= DATA-2
    //= DATA-3
    //= DATA-4
    //= OBJ-7
    @Test(
        "Frames of another session, object or epoch, past the edge, or of wrong length are dropped"
    )
    func droppedData() {
        let talk = ReceiverConversation.receiving(image: 20 * 4_096)
        let payload = [UInt8](repeating: 1, count: 240)
        let whole = talk.header()
        var damaged = CoreSample.data(0, payload: payload, header: whole)
        damaged[100] ^= 0x40
        let dropped: [[UInt8]] = [
            CoreSample.data(0, payload: payload, header: talk.header(session: SessionNumber(1))),
            CoreSample.data(0, payload: payload, header: talk.header(object: .manifest)),
            CoreSample.data(0, payload: payload, header: talk.header(epoch: Epoch(1))),
            damaged, [1, 2, 3, 4], [],
            CoreSample.data(68, payload: payload, header: whole),
            CoreSample.data(10_000, payload: payload, header: whole),
            CoreSample.data(0, payload: Array(payload.dropLast()), header: whole),
            CoreSample.data(0, payload: payload + [0], header: whole),
        ]
        for datagram in dropped { talk.receive(datagram) }
        #expect(talk.receiver.statistics.dataFramesDropped == UInt64(dropped.count))
        talk.poll()
        let acknowledgement = talk.drainedAcknowledgements().first
        #expect(acknowledgement?.truncatedCumulative == 0 && acknowledgement?.shown == [])
    }

    //= DATA-1
    @Test("15 bits are enough: the index is the one near the cumulative acknowledgement")
    func longObject() {
        // 40,000 chunks of 12 bytes, of which all but the last 100 blocks are held.
        let talk = ReceiverConversation.receiving(
            image: 480_000,
            chunkSize: .smallest,
            held: Array(0..<110)
        )
        let first = UInt32(110 * 4_096 / 12)
        #expect(first > 32_768)
        for index in first..<first + 10 { talk.chunk(index) }
        talk.poll()
        let acknowledgement = talk.drainedAcknowledgements().first
        #expect(acknowledgement?.truncatedCumulative == UInt16(first + 10))
        #expect(acknowledgement?.durableByteCount == UInt32(110 * 4_096))
    }

    @Test("Held blocks are shown, and the bitmap is cut to what the link carries back")
    func bitmap() {
        for byteCountMax in [18, 19, ReceiverControl.byteCountMax] {
            var options = ReceiverOptions()
            options.controlByteCountMax = byteCountMax
            let talk = ReceiverConversation.receiving(held: [1], options: options)
            talk.poll()
            let acknowledgement = talk.drainedAcknowledgements().first
            // Chunks 18 to 33 lie in block 1 whole.
            let all = Array(17...32)
            #expect(acknowledgement?.shown == all.filter { $0 < 8 * (byteCountMax - 15) })
            #expect((acknowledgement?.byteCount ?? 100) <= byteCountMax)
        }
    }

    //= CREDIT-4
    @Test("A receiver that leaves the pace to the sender acknowledges when polled and not else")
    func leavesPace() {
        var options = ReceiverOptions()
        options.leavesPaceToSender = true
        let talk = ReceiverConversation.receiving(image: 20 * 4_096, options: options)
        talk.chunks(0..<60)
        talk.chunk(63)
        talk.storeAll()
        talk.pass(1_000)
        #expect(talk.drain().isEmpty)
        talk.chunk(60, isPoll: true)
        let acknowledgement = talk.drainedAcknowledgements().first
        #expect(acknowledgement?.credit == .unlimited && acknowledgement?.truncatedCumulative == 61)
        talk.chunks(61..<68)
        talk.pass(100)
        #expect(talk.drainedAcknowledgements().isEmpty)
    }

    //= ACK-6
    //= ACK-12
    @Test("A jump by 16,384 chunks opens an epoch, once the durable part can tell it")
    func farAdvance() {
        // Block 0 is missing and the 300 after it are held: 102,000 chunks of 12 bytes.
        let talk = ReceiverConversation.receiving(
            image: 302 * 4_096,
            chunkSize: .smallest,
            held: Array(1...300)
        )
        talk.chunks(0..<342)
        talk.pass(250)
        #expect(talk.drainedBusy().count >= 1)
        talk.storeAll()
        talk.pass(250)
        #expect(talk.drainedAcknowledgements().isEmpty)
        talk.handle(.durable(byteCount: 301 * 4_096))
        talk.pass(250)
        let acknowledgement = talk.drainedAcknowledgements().first
        let cumulative = UInt32(301 * 4_096 / 12)
        #expect(
            acknowledgement?.epoch == Epoch(1)
                && acknowledgement?.durableByteCount == UInt32(301 * 4_096)
        )
        #expect(acknowledgement?.cumulative(chunkSize: .smallest) == cumulative)
        for index in cumulative..<cumulative + 343 where talk.receiver.phase == .receiving(.image) {
            if Int(index) * 12 < talk.image.count { talk.chunk(index) }
            talk.storeAll()
        }
        #expect(talk.receiver.phase == .verifying)
    }

    //= ACK-6
    @Test("The account never runs 65,536 chunks ahead of what is durable, and goes on when more is")
    func durableLag() {
        let bench = ReceiverBench(slotCount: 8)
        let talk = ReceiverConversation.receiving(
            image: 300 * 4_096,
            chunkSize: .smallest,
            bench: bench
        )
        var cumulative: UInt32 = 0
        let last = UInt32(300 * 4_096 / 12)
        while cumulative < last, cumulative < 65_535 {
            talk.chunk(cumulative)
            cumulative += 1
            talk.storeAll()
            for acknowledgement in talk.drainedAcknowledgements()
            where acknowledgement.credit != .chunks(0) {
                #expect(acknowledgement.durableByteCount == 0)
            }
        }
        // Here the receiver does not take more, however many buffers are free.
        talk.chunk(65_535)
        talk.pass(250)
        let acknowledgement = talk.drainedAcknowledgements().last
        #expect(
            acknowledgement?.truncatedCumulative == 65_535 && acknowledgement?.credit == .chunks(0)
        )
        // More becomes durable while the sender waits at the edge: it is told at once.
        talk.handle(.durable(byteCount: 100 * 4_096))
        let after = talk.drainedAcknowledgements().last
        #expect(after?.durableByteCount == UInt32(100 * 4_096))
        #expect(after?.credit != .chunks(0) && after?.credit != nil)
    }

    @Test(
        "An account beyond the ring, over held blocks, gives no credit and survives the next store"
    )
    func jumpPastTheRing() {
        let talk = ReceiverConversation.receiving(image: 40 * 4_096, held: Array(1..<30))
        talk.chunks(0..<18)
        let writes = talk.tasks()
        talk.poll()
        let acknowledgement = talk.drainedAcknowledgements().first
        #expect(acknowledgement?.truncatedCumulative == UInt16(30 * 4_096 / 240))
        #expect(acknowledgement?.credit == .chunks(0))
        #expect(writes == [.write(.image, block: 0)])
        talk.handle(.stored(block: 0))
        let after = talk.drainedAcknowledgements().first
        #expect(after?.credit != .chunks(0) && after?.credit != nil)
    }

    //= ACK-2
    //= OBJ-5
    //= OBJ-4
    @Test(
        "A rejected block opens an epoch in which it and all after it is missing; eight end it all"
    )
    func rejections() {
        let talk = ReceiverConversation.receiving()
        for round in 1...8 {
            talk.chunks(0..<20)
            #expect(talk.tasks() == [.write(.image, block: 0)])
            talk.pass(30)
            talk.handle(.rejected(block: 0))
            if round == 8 { break }
            let acknowledgement = talk.drainedAcknowledgements().last
            #expect(
                acknowledgement?.epoch == Epoch(UInt8(round))
                    && acknowledgement?.truncatedCumulative == 0
            )
            #expect(acknowledgement?.shown == [])
            #expect(acknowledgement?.delayMilliseconds == 0)
        }
        #expect(talk.drainedResults() == [.init(reason: .blockMismatch, detail: 0)])
        #expect(talk.receiver.statistics.blocksRejected == 8)
        let ending = talk.receiver.takeEnding()
        #expect(ending == .blockMismatch)
    }

    //= OBJ-5
    @Test("A block that is accepted between them starts the count again")
    func rejectionsApart() {
        let apart = ReceiverConversation.receiving()
        for _ in 0..<7 { Self.reject(apart) }
        apart.chunks(0..<36)
        _ = apart.tasks()
        apart.handle(.stored(block: 1))
        apart.handle(.rejected(block: 0))
        _ = apart.drain()
        for _ in 0..<6 { Self.reject(apart) }
        #expect(apart.receiver.phase == .receiving(.image))
    }

    private static func reject(_ talk: ReceiverConversation) {
        talk.chunks(0..<18)
        _ = talk.tasks()
        talk.handle(.rejected(block: 0))
        _ = talk.drain()
    }

    //= ACK-1
    //= ACK-3
    @Test("Within an epoch nothing moves back, whatever comes in whatever order")
    func neverBack() {
        for seed in TestSeed.rounds(20) {
            var random = TestSeed(seed)
            let talk = ReceiverConversation.receiving(image: 12 * 4_096, held: [3, 7])
            var last: (epoch: Epoch, cumulative: Int, edge: Int, durable: UInt32, shown: Set<Int>)?
            for _ in 0..<1_500 where talk.receiver.phase == .receiving(.image) {
                talk.chunk(UInt32(random.below(205)), isPoll: random.chance(10))
                if random.chance(20) {
                    for case .write(_, let block) in talk.tasks() {
                        talk.handle(
                            random.chance(10) ? .rejected(block: block) : .stored(block: block)
                        )
                    }
                }
                if random.chance(5) { talk.pass(250) }
                for acknowledgement in talk.drainedAcknowledgements() {
                    guard case .chunks(let credit) = acknowledgement.credit else { continue }
                    let cumulative = Int(acknowledgement.truncatedCumulative)
                    let shown = Set(acknowledgement.shown.map { cumulative + 1 + $0 })
                    if let last, last.epoch == acknowledgement.epoch {
                        #expect(cumulative >= last.cumulative, "seed \(seed)")
                        #expect(cumulative + Int(credit) >= last.edge, "seed \(seed)")
                        #expect(acknowledgement.durableByteCount >= last.durable, "seed \(seed)")
                        let withdrawn = last.shown.filter {
                            $0 >= cumulative && !shown.contains($0)
                        }
                        #expect(
                            withdrawn.allSatisfy { $0 == cumulative }
                                && !withdrawn.contains(cumulative)
                        )
                    }
                    last = (
                        acknowledgement.epoch, cumulative, cumulative + Int(credit),
                        acknowledgement.durableByteCount, shown
                    )
                }
            }
        }
    }
}
