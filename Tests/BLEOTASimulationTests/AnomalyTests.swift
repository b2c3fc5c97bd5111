import BLEOTACore
import Testing

@testable import BLEOTASimulation

/// One small transfer, in which one thing happens to one frame: for every frame and every thing.
@Suite struct AnomalyTests {
    private static func scenario(isOrdered: Bool) -> Scenario {
        var scenario = Scenario(seed: 99)
        scenario.imageByteCount = 3_000
        scenario.blockByteCount = 1_024
        scenario.frameByteCountMax = 180
        scenario.slotCount = 2
        scenario.store.write = .milliseconds(3)
        scenario.store.judge = .milliseconds(150)
        scenario.store.publish = .milliseconds(150)
        scenario.senderData.isOrdered = isOrdered
        scenario.claimsOrder = isOrdered
        return scenario
    }

    //= END-6
    //= ACK-2
    @Test(
        "Whatever happens to whichever frame, the image arrives",
        arguments: Scenario.Anomaly.Kind.allCases,
        [true, false]
    )
    func oneAnomaly(kind: Scenario.Anomaly.Kind, isOrdered: Bool) {
        let clean = SimulationRun.run(Self.scenario(isOrdered: isOrdered))
        #expect(clean.senderEndings == [.verified])
        #expect(clean.frameCount > 20)
        for frame in 0..<clean.frameCount {
            var scenario = Self.scenario(isOrdered: isOrdered)
            scenario.anomaly = Scenario.Anomaly(kind: kind, frame: frame)
            let pair = SimulationRun.run(scenario)
            #expect(pair.failure == nil, "\(kind) at frame \(frame)")
            // One sender is enough unless it was itself taken away.
            #expect(pair.senderEndings == [.verified], "\(kind) at frame \(frame)")
            guard pair.failure == nil else { return }
        }
    }

    @Test(
        "Whatever happens to whichever frame of a requested object, it arrives",
        arguments: Scenario.Anomaly.Kind.allCases
    )
    func oneAnomalyInRequest(kind: Scenario.Anomaly.Kind) {
        var scenario = Self.scenario(isOrdered: true)
        scenario.isRequestedByReceiver = true
        let frameCount = SimulationRun.run(scenario).frameCount
        for frame in 0..<frameCount {
            scenario.anomaly = Scenario.Anomaly(kind: kind, frame: frame)
            let pair = SimulationRun.run(scenario)
            #expect(pair.failure == nil, "\(kind) at frame \(frame)")
            guard pair.failure == nil else { return }
        }
    }
}
