import BLEOTACore
import Testing

@testable import BLEOTASimulation

/// Drawn worlds that get a new radio. Its settings come from a dice of their own, so that the
/// worlds of `bleota simulate` stay the same.
@Suite struct DrawnNewRadioTests {
    private static let newRadioSeed: UInt64 = 0x4E45_5752_4144_494F

    /// The world of a seed with a short interval, other spaces, or both; `nil` where it has no
    /// radio, or one whose packets no such event has time for.
    private static func world(_ seed: UInt64) -> Scenario? {
        var world = Scenario.drawn(from: seed)
        guard var radio = world.radio else { return nil }
        var random = SimulationRandom(seed: seed ^ newRadioSeed)
        if random.chance(0.8) {
            radio.connectionInterval = ConnectionIntervals.step * random.int(3...60)
        }
        if random.chance(0.8) {
            radio.frameSpaces =
                FrameSpaces(
                    centralToPeripheral: Microseconds(Int64(random.int(0...200))),
                    peripheralToCentral: Microseconds(Int64(random.int(0...200))),
                    betweenEvents: Microseconds(Int64(random.int(0...200)))
                ) ?? .usual
        }
        guard let fitted = radio.fitted else { return nil }
        world.radio = fitted
        return world
    }

    @Test("Images arrive over new radios as well, whatever else goes wrong")
    func arrival() {
        var (count, shortCount, fittedCount) = (0, 0, 0)
        for seed in UInt64(0)..<1_500 {
            guard let world = Self.world(seed), let radio = world.radio else { continue }
            count += 1
            if radio.connectionInterval < Microseconds(7_500) { shortCount += 1 }
            if radio.packetByteCountMax < 251, radio.hasDataLengthExtension { fittedCount += 1 }
            let pair = SimulationRun.run(world)
            #expect(pair.failure == nil, "\(seed): \(radio.linkWords)")
        }
        #expect(count > 100 && shortCount > 50 && fittedCount > 50)
    }
}
