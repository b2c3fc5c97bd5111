import BLEOTACore
import Testing

@testable import BLEOTASimulation

/// Worlds in which something once went wrong.
@Suite struct SimulationRegressionTests {
    /// A receiver that was restarted between two OPENs of one session dates its account anew, and
    /// the date may look older than the one the sender knows. The sender once waited for its
    /// progress limit; now it opens again.
    @Test("A session whose epochs began anew is opened again")
    func olderEpochAfterRestart() {
        var random = SimulationRandom(seed: 1)
        let transfer = InMemoryTransfer(image: random.bytes(5_000), blockByteCount: 1_024)
        var now = Instant(microseconds: 0)
        let sender = SenderEnd(Scenario(seed: 1), transfer, session: SessionNumber(40), at: now)
        func acknowledgement(_ epoch: UInt8, cumulative: UInt16, answersPoll: Bool) -> [UInt8] {
            FrameBytes.of(
                .acknowledgement(
                    Acknowledgement(
                        answersPoll: answersPoll,
                        object: .image,
                        epoch: Epoch(epoch),
                        truncatedCumulative: cumulative,
                        credit: .chunks(8),
                        durableByteCount: 0
                    )
                ),
                session: SessionNumber(40)
            )
        }
        func drain() { while sender.next(at: now, isHealed: true, &random) != nil {} }
        drain()
        sender.receive(acknowledgement(100, cumulative: 0, answersPoll: false), at: now)
        drain()
        now = now + .milliseconds(50)
        // The size of the chunks is beyond doubt, so that it is not what is looked for.
        sender.receive(acknowledgement(100, cumulative: 2, answersPoll: true), at: now)
        drain()
        while sender.machine.session == SessionNumber(40),
            let deadline = sender.machine.nextDeadline
        {
            now = deadline
            sender.machine.handleTimeout(at: now)
            drain()
            sender.receive(acknowledgement(90, cumulative: 0, answersPoll: true), at: now)
            drain()
            guard now < Instant(microseconds: 30_000_000) else { break }
        }
        #expect(sender.machine.session == SessionNumber(41))
        #expect(sender.machine.phase == .opening)
        // No probe was answered, and the size had passed before: it stays.
        #expect(sender.machine.chunkSize.byteCount == 240)
    }

    /// A store that syncs late may say that the manifest is durable when the image has begun. The
    /// receiver once passed that on as of the image, and the sender found the account absurd.
    @Test("A late sync of the manifest makes nothing of the image durable")
    func lateSyncOfManifest() {
        var scenario = Scenario(seed: 4)
        scenario.imageByteCount = 20_000
        scenario.blockByteCount = 256
        scenario.store.sync = .milliseconds(150)
        scenario.senderData.pace = LinkModel.Pace(
            interval: .milliseconds(100),
            datagramCount: 1,
            queueMax: 10_000
        )
        let pair = SimulationRun.run(scenario)
        #expect(pair.senderEndings == [.verified])
    }

    /// A burst behind the frames of a sender before took longer to arrive than three probe
    /// timeouts. That once made the sender probe and open again, and so the next burst as well, for
    /// ever, although the probes came back.
    @Test("A slow link is not taken for one that carries less")
    func slowLinkIsNotProbedForever() {
        var scenario = Scenario(seed: 5)
        scenario.imageByteCount = 1_407
        scenario.blockByteCount = 256
        scenario.frameByteCountMax = 18
        scenario.window = .burst(chunkCount: 53, pause: .untilAcknowledged)
        scenario.interruptions = [(Instant(microseconds: 1_000_000), .restartSender)]
        scenario.healsAt = Instant(microseconds: 1_000_000)
        // The manifest is there, so that no chunk has passed before the burst.
        scenario.store.heldPerMille = 1
        scenario.senderData.pace = LinkModel.Pace(
            interval: .milliseconds(149),
            datagramCount: 1,
            queueMax: 10_000
        )
        let pair = SimulationRun.run(scenario)
        #expect(pair.senderEndings == [.verified])
    }

    /// Probes once made a chunk of 488 bytes one of 240, although frames of 492 bytes came back.
    @Test("Probes that come back at the present size leave it alone")
    func answeredProbesKeepTheSize() {
        var scenario = Scenario(seed: 2)
        scenario.frameByteCountMax = 495
        scenario.imageByteCount = 20_000
        // For the first seconds no data passes, probes included, and then all does.
        scenario.senderData.stalls = LinkModel.Stalls(
            period: .seconds(1_000),
            length: .milliseconds(4_800)
        )
        scenario.healsAt = Instant(microseconds: 100_000_000)
        let pair = SimulationRun.run(scenario)
        #expect(pair.senderEndings == [.verified])
        #expect(pair.phasesSeen.contains(.discoveringSize))
        #expect(pair.smallestChunkSize?.byteCount == 488)
    }

    /// A queue took the end of each burst, and with it the poll: only chunks that had been sent
    /// before were ever acknowledged, the doubled pause stayed at 5 seconds, and a transfer of
    /// seconds took minutes.
    @Test(
        "A queue that takes the end of each burst does not keep the pause long",
        arguments: [89_499, 142_251, 158_195] as [UInt64]
    )
    func queueTakesEndOfBurst(seed: UInt64) {
        let pair = SimulationRun.run(.drawn(from: seed))
        #expect(pair.senderEndings.last == .verified)
    }

    /// Most of what was acknowledged had been sent before, so that no round trip said that nothing
    /// waits; the rate followed what arrived of it, down to a chunk in two seconds.
    @Test(
        "A rate does not fall to nothing where a third is lost and the link is taken for unordered",
        arguments: [260_663, 444_826] as [UInt64]
    )
    func rateOfRepeatedChunks(seed: UInt64) {
        let pair = SimulationRun.run(.drawn(from: seed))
        #expect(pair.senderEndings.last == .verified)
    }

    /// A queue took the end of each burst, on a link that does not keep order, and each probe of
    /// a second told of one chunk; or a link carried a quarter of timed bursts, most of it chunks
    /// for which there was no room, and nothing told that earlier ones were lost.
    //= REPAIR-3
    //= REPAIR-7
    @Test(
        "Bursts that are more than a link takes are repaired",
        arguments: [
            10_000_187_874, 9_000_009_764, 75_000_024_663, 2_250_000_093_810, 3_080_000_083_455,
        ] as [UInt64]
    )
    func burstsPastLink(seed: UInt64) {
        let pair = SimulationRun.run(.drawn(from: seed))
        #expect(pair.senderEndings.last == .verified)
    }

    /// A queue dropped most of a flood. The window was full of what bitmaps of 18 bytes had no room
    /// to tell of, and what was known to be lost went out again one chunk a probe timeout.
    //= WINDOW-5
    @Test("What has left the link fills no window")
    func floodPastLink() {
        let pair = SimulationRun.run(.drawn(from: 4_230_000_163_602))
        #expect(pair.senderEndings.last == .verified)
    }

    /// With a block that is wrong, those after it are taken back. What a store had yet to write of
    /// them it wrote all the same, and again when they had come again, into flash that was not
    /// erased in between.
    @Test(
        "What is taken back with a wrong block is not written twice",
        arguments: [786, 797, 961] as [UInt64]
    )
    func wrongBlockTakesBackWrites(seed: UInt64) {
        let pair = SimulationRun.run(.drawn(from: seed))
        #expect(pair.senderEndings.last == .verified)
    }

    /// With slow timed bursts nothing was asked before all was sent that the credit allowed: where
    /// the link carries less than it says, no size was tried before both ends had given up.
    //= CREDIT-5
    @Test("Slow bursts find out what the link carries", arguments: [false, true])
    func slowBurstsFindSize(leavesPaceToSender: Bool) {
        var scenario = Scenario(seed: 6)
        scenario.imageByteCount = 6_000
        scenario.store.heldPerMille = 1
        scenario.frameByteCountMax = 20
        scenario.window = .burst(chunkCount: 1, pause: .time(.milliseconds(300)))
        scenario.leavesPaceToSender = leavesPaceToSender
        scenario.senderData.sizeLimit = LinkModel.SizeLimit(byteCount: 18, isCutShort: false)
        let pair = SimulationRun.run(scenario)
        #expect(pair.senderEndings == [.verified])
    }

    /// The echo probes waited in a queue behind the chunks, and were answered when the sender had
    /// given them up; it went on with the smallest chunks, a twentieth of what passed.
    //= ECHO-3
    //= ECHO-4
    @Test("Echo probes that a long queue answers late do not make the chunks small")
    func lateEchoReplies() {
        var scenario = Scenario(seed: 7)
        scenario.imageByteCount = 20_000
        scenario.frameByteCountMax = 383
        scenario.window = .fieldRule
        scenario.leavesPaceToSender = true
        scenario.store.heldPerMille = 1
        scenario.senderData.pace = LinkModel.Pace(
            interval: .milliseconds(98),
            datagramCount: 1,
            queueMax: 82
        )
        let pair = SimulationRun.run(scenario)
        #expect(pair.senderEndings == [.verified])
        #expect(pair.smallestChunkSize?.byteCount == 240)
    }

    /// On a link that swaps frames, and is said not to, an ACK of what was sent again made all that
    /// was in flight look lost, and each of those again: the link carried nothing but repetitions.
    //= REPAIR-6
    @Test(
        "A link that is said to keep order, and does not, carries each chunk a few times at most",
        arguments: [WindowPolicy.automatic, .fixed(chunkCount: 27)]
    )
    func linkThatSwapsFrames(window: WindowPolicy) {
        var scenario = Scenario(seed: 8)
        scenario.imageByteCount = 14_304
        scenario.blockByteCount = 4_096
        scenario.frameByteCountMax = 20
        scenario.controlByteCountMax = 18
        scenario.slotCount = 14
        scenario.window = window
        let (latency, jitter) = (Microseconds(1_239), Microseconds(300))
        let link = LinkModel(latency: latency, jitter: jitter, isOrdered: false)
        (scenario.senderControl, scenario.receiverControl) = (link, link)
        scenario.senderData = link
        scenario.senderData.pace = LinkModel.Pace(
            interval: .milliseconds(87),
            datagramCount: 3,
            queueMax: 10_000
        )
        let pair = SimulationRun.run(scenario)
        #expect(pair.senderEndings == [.verified])
        let chunkCount = scenario.imageByteCount / 16
        #expect(pair.traffic.imageFrameCount < 5 * chunkCount)
    }

    /// The same where a long queue holds what looks lost: the chunk came back sooner than the queue
    /// would have let it, and far later than on an idle link. The sender filled the queue of 10,000
    /// frames with repetitions, and took 7 minutes for 13 kB.
    //= REPAIR-6
    @Test("A link that swaps frames behind a long queue carries each chunk a few times at most")
    func longQueueThatSwapsFrames() {
        let pair = SimulationRun.run(.drawn(from: 5_220_000_041_277))
        #expect(pair.senderEndings == [.verified])
        #expect(pair.now < Instant(microseconds: 60_000_000))
        #expect(pair.traffic.imageFrameCount < 2 * 13_324 / 12)
    }

    /// A queue of 8 s cut what was longer than 109 bytes, and answered the echo probes when the
    /// sender had opened again, each time. And the receiver's ACKs were shorter than the sender's
    /// frames, so that what they did not tell of looked lost, and was sent again and again.
    //= ECHO-3
    //= ECHO-4
    @Test("A long queue that cuts frames gets chunks that fit it, each a few times at most")
    func longQueueThatCutsFrames() {
        let pair = SimulationRun.run(.drawn(from: 5_020_000_229_144))
        #expect(pair.senderEndings.last == .verified)
        #expect(pair.now < Instant(microseconds: 600_000_000))
    }

    /// The epoch between two ACKs began and ended within BUSY.
    @Test("An epoch that only BUSY told of is none that was left out")
    func epochToldByBusy() {
        let pair = SimulationRun.run(.drawn(from: 5_020_000_243_464))
        #expect(pair.senderEndings.last == .verified)
    }

    /// Worlds in which each of these happened.
    @Test(
        "No end of a slow link is out of reach",
        arguments: [
            40_294_286, 70_028_714, 70_046_184, 70_069_722, 90_012_822, 500_119_931, 500_151_960,
            500_161_491, 500_166_480, 500_183_464, 600_213_834,
        ] as [UInt64]
    )
    func slowLink(seed: UInt64) {
        let pair = SimulationRun.run(.drawn(from: seed))
        #expect(pair.senderEndings.last == .verified)
    }

    /// A receiver with room for one frame lost two of three, and bitmaps of three bytes told of the
    /// rest one probe after the other. What they had no room for gave round trips of minutes, so
    /// that each probe waited 5 seconds: a transfer of seconds took an hour.
    //= REPAIR-4
    @Test("A chunk that a cut bitmap had no room for gives no round-trip sample")
    func cutBitmapGivesNoSample() {
        let pair = SimulationRun.run(.drawn(from: 600_264_730))
        #expect(pair.senderEndings.last == .verified)
        #expect(pair.now < Instant(microseconds: 600_000_000))
    }

    /// The limit was that of a window of 16 chunks, where the driver let one at a time go its way.
    @Test("A driver that lets one frame wait gets the time that takes")
    func driverLetsOneFrameWait() {
        let pair = SimulationRun.run(.drawn(from: 800_034_550))
        #expect(pair.senderEndings.last == .verified)
    }
}
