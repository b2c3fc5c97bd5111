import BLEOTACore
import Testing

@testable import BLEOTASimulation

/// The radios that drawn worlds have.
@Suite struct DrawnRadioTests {
    private static let worlds = (0..<2_000).map { Scenario.drawn(from: $0) }

    @Test("One world in seven has a radio, and each kind of radio there is comes up")
    func shares() {
        let radios = Self.worlds.compactMap(\.radio)
        #expect((240..<360).contains(radios.count))
        #expect(radios.allSatisfy { $0.isPossible })
        #expect(Set(radios.map(\.phy)) == Set(PHY.allCases))
        #expect(Set(radios.map { $0.enhancedBearers?.count ?? 0 }) == Set(0...5))
        let kinds: [(String, (RadioSettings) -> Bool)] = [
            ("short packets", { !$0.hasDataLengthExtension }), ("encrypted", \.isEncrypted),
            ("few packets an event", { $0.packetCountMax < .max }),
            ("damaged packets", { $0.packetErrorRate > 0 }), ("lost values", { $0.valueLoss > 0 }),
            ("a bounded sender", { $0.sendQueueValueCountMax < .max }),
            ("a busy receiver", { $0.receiveQueue != nil }),
            ("busy hosts", { $0.hostPauses != nil }),
            ("fades that may end the link", { !$0.fades.isEmpty && $0.supervision != nil }),
        ]
        for (name, isKind) in kinds {
            let count = radios.filter(isKind).count
            #expect(count > 40, "\(name)")
        }
        let withResponse = Self.worlds.filter { $0.radio != nil && $0.isWithResponse }
        #expect(withResponse.count > 20)
    }

    @Test("A frame of the sender, and one of the receiver, fits the ATT_MTU")
    func lengths() {
        for world in Self.worlds {
            guard let radio = world.radio else { continue }
            #expect(world.frameByteCountMax <= radio.attMTU - 3)
            #expect(world.controlByteCountMax <= radio.attMTU - 3)
        }
    }

    @Test(
        "Seeds that tests and pages name have the worlds that they had before there were radios",
        arguments: [1, 7, 42, 1_234, 89_499, 142_251, 158_195, 260_663, 444_826] as [UInt64]
    )
    func namedSeeds(seed: UInt64) { #expect(Scenario.drawn(from: seed).radio == nil) }

    @Test("What is drawn is said, in one line each")
    func words() {
        for world in Self.worlds where world.radio != nil {
            let names = world.options.map(\.name)
            #expect(names.contains("radio faults") && !names.contains("sender data"))
            let areShort = world.options.allSatisfy {
                $0.name.count <= 16 && !$0.value.contains("\n")
            }
            #expect(areShort)
        }
    }

    @Test("Links are lost in drawn worlds, values are dropped, and the images arrive all the same")
    func losses() {
        var (lossCount, reorderedCount) = (0, 0)
        for world in Self.worlds where world.radio?.supervision != nil && world.isHealing {
            let pair = SimulationRun.run(world)
            lossCount += pair.linkLossCount
            reorderedCount += world.radio?.isOrdered == false ? 1 : 0
            #expect(pair.failure == nil)
        }
        #expect(lossCount > 20)
        #expect(reorderedCount > 20)
    }
}
