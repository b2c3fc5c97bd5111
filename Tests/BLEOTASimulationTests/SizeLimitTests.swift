import BLEOTACore
import Testing

@testable import BLEOTASimulation

/// Links that carry less than they say.
@Suite struct SizeLimitTests {
    //= ECHO-1
    //= ECHO-2
    @Test("One sender finds whatever size passes", arguments: [true, false])
    func everyLimit(isCutShort: Bool) {
        for byteCount in 16...244 {
            var scenario = Scenario(seed: 5)
            scenario.imageByteCount = 2_000
            scenario.senderData.sizeLimit = LinkModel.SizeLimit(
                byteCount: byteCount,
                isCutShort: isCutShort
            )
            let pair = SimulationRun.run(scenario)
            #expect(pair.senderEndings == [.verified], "limit \(byteCount)")
            guard let chunkSize = pair.smallestChunkSize else { return }
            #expect(chunkSize.frameByteCount <= byteCount, "limit \(byteCount)")
            #expect(pair.now < Instant(microseconds: 20_000_000), "limit \(byteCount)")
        }
    }

    /// With a receiver that does not pace, every frame sent once counted as progress, and the
    /// sender went on for ever.
    //= TIME-2
    @Test(
        "When no data frame passes at all, the sender stalls",
        arguments: [WindowPolicy.automatic, .fixed(chunkCount: 1), .fieldRule],
        [false, true]
    )
    func deadDataChannel(window: WindowPolicy, leavesPaceToSender: Bool) {
        var scenario = Scenario(seed: 6)
        scenario.window = window
        scenario.leavesPaceToSender = leavesPaceToSender
        scenario.senderData.sizeLimit = LinkModel.SizeLimit(byteCount: 4, isCutShort: false)
        scenario.healsAt = nil
        let pair = SimulationRun.run(scenario)
        #expect(pair.outcome == .aborted(.stalled))
        #expect(pair.now < Instant(microseconds: 120_000_000))
    }

    //= TIME-2
    @Test("When no data frame of slow bursts passes, the sender stalls, and the receiver hears it")
    func deadDataChannelOfSlowBursts() {
        var scenario = Scenario(seed: 8)
        scenario.imageByteCount = 30_000
        scenario.store.heldPerMille = 1
        scenario.window = .burst(chunkCount: 1, pause: .time(.milliseconds(400)))
        scenario.leavesPaceToSender = true
        scenario.senderData.sizeLimit = LinkModel.SizeLimit(byteCount: 4, isCutShort: false)
        scenario.healsAt = nil
        let pair = SimulationRun.run(scenario)
        #expect(pair.outcome == .aborted(.stalled))
        #expect(pair.receiverEndings == [.stalled])
        #expect(pair.now < Instant(microseconds: 80_000_000))
    }

    //= TIME-1
    @Test("When nothing comes back at all, the sender hears silence")
    func deadReturnChannel() {
        var scenario = Scenario(seed: 7)
        scenario.receiverControl.sizeLimit = LinkModel.SizeLimit(byteCount: 0, isCutShort: false)
        scenario.healsAt = nil
        let pair = SimulationRun.run(scenario)
        #expect(pair.outcome == .aborted(.silent))
        //= TIME-3
        #expect(pair.now < Instant(microseconds: 60_000_000))
    }
}
