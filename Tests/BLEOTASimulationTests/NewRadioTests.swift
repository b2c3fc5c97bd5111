import BLEOTACore
import Testing

@testable import BLEOTASimulation

/// The modelled radio at intervals below 7.5 ms, with other spaces between packets than 150 µs, and
/// over the coded layers, against the closed formulae.
@Suite struct NewRadioTests {
    /// All alike, and each another.
    private static let spaces = [
        FrameSpaces.usual, FrameSpaces(Microseconds(63)), FrameSpaces.none,
        FrameSpaces(
            centralToPeripheral: Microseconds(52),
            peripheralToCentral: Microseconds(110),
            betweenEvents: Microseconds(21)
        ),
    ]

    /// Links of a physical layer with packets as long as events have time for.
    static func links(_ phy: PHY) -> [RadioSettings] {
        var links: [RadioSettings] = []
        for spaces in spaces {
            for isEncrypted in [false, true] {
                for interval in [375, 500, 750, 1_000, 1_250, 2_500, 5_000, 7_500, 30_000, 50_000] {
                    var radio = RadioSettings()
                    radio.phy = phy
                    radio.isEncrypted = isEncrypted
                    radio.connectionInterval = Microseconds(Int64(interval))
                    radio.frameSpaces = spaces ?? .usual
                    radio.attMTU = 517
                    if let radio = radio.fitted { links.append(radio) }
                }
            }
        }
        return links
    }

    @Test("There are intervals of 375 µs to 4 s in steps of 125, and no others")
    func intervals() {
        let there = [375, 500, 625, 750, 1_250, 7_500, 8_000, 30_000, 4_000_000]
        let notThere = [-375, 0, 125, 250, 374, 376, 400, 1_300, 3_999_999, 4_000_125]
        #expect(there.allSatisfy { ConnectionIntervals.contains(Microseconds(Int64($0))) })
        #expect(!notThere.contains { ConnectionIntervals.contains(Microseconds(Int64($0))) })
        for interval in notThere {
            var radio = RadioSettings()
            radio.connectionInterval = Microseconds(Int64(interval))
            radio.frameSpaces = .none
            radio.packetByteCountLimit = 27
            #expect(!radio.isPossible, "\(interval)")
        }
    }

    @Test("A space is up to 10 ms, and 150 µs before anything is agreed on")
    func spaces() {
        #expect(RadioSettings().frameSpaces == FrameSpaces(Microseconds(150)))
        #expect(FrameSpaces(Microseconds(0)) == FrameSpaces.none)
        #expect(FrameSpaces(Microseconds(10_000)) != nil)
        #expect(FrameSpaces(Microseconds(10_001)) == nil && FrameSpaces(Microseconds(-1)) == nil)
        let parts = FrameSpaces(
            centralToPeripheral: Microseconds(1),
            peripheralToCentral: Microseconds(2),
            betweenEvents: Microseconds(10_001)
        )
        #expect(parts == nil)
    }

    /// Encrypted packets of 27 bytes take 328 µs over 1M, 168 over 2M, 958 and 2,704 coded.
    @Test("How short intervals may be is what two packets of 27 bytes and two spaces take")
    func shortest() throws {
        let shortest: [(PHY, Int64, usual: Int64, none: Int64)] = [
            (.le1M, 2 * 328, 1_000, 750), (.le2M, 2 * 168, 750, 375),
            (.codedS2, 2 * 958, 2_250, 2_000), (.codedS8, 2 * 2_704, 5_750, 5_500),
        ]
        for (phy, packets, usual, none) in shortest {
            for (spaces, expected) in [(FrameSpaces.usual, usual), (.none, none)] {
                var radio = RadioSettings()
                radio.phy = phy
                radio.isEncrypted = true
                radio.frameSpaces = spaces
                radio.packetByteCountLimit = 27
                let possible = stride(from: Int64(375), through: 10_000, by: 125).filter {
                    radio.connectionInterval = Microseconds($0)
                    return radio.isPossible
                }
                #expect(possible.first == expected, "\(phy) \(spaces)")
                let least = packets + (spaces == .usual ? 300 : 0)
                #expect(try (expected - 125..<expected + 1).contains(#require(possible.first)))
                #expect(expected >= least && expected - 125 < least)
            }
        }
    }

    @Test("Packets are fitted to events: two have time in one, and two with a byte more have not")
    func fitted() {
        var counts: Set<Int> = []
        for phy in PHY.allCases {
            for radio in Self.links(phy) {
                let formula = RadioFormula(radio)
                counts.insert(formula.byteCountMax)
                func least(_ byteCount: Int) -> Int {
                    2 * formula.airTime(byteCount) + formula.spaces.central + formula.spaces.event
                }
                #expect(least(formula.byteCountMax) <= formula.intervalMicroseconds)
                if formula.byteCountMax < 251 {
                    #expect(least(formula.byteCountMax + 1) > formula.intervalMicroseconds)
                }
            }
        }
        #expect(counts.count > 20 && counts.max() == 251)
        var radio = RadioSettings()
        radio.phy = .le1M
        radio.connectionInterval = Microseconds(375)
        #expect(radio.fitted == nil)
    }

    @Test("Values of one packet fill the link to the last one", arguments: PHY.allCases)
    func commands(phy: PHY) {
        for radio in Self.links(phy) {
            let formula = RadioFormula(radio)
            let byteCount = formula.byteCountMax - 7
            let count = formula.valueCountPerEvent(byteCount)
            #expect(count > 0 && radio.valueCountPerEvent(ofValue: byteCount) == count)
            let share =
                RadioRun.rate(radio, ofValue: byteCount, as: .command) / formula.commands(byteCount)
            #expect(abs(share - 1) < 0.001, "\(radio.linkWords): \(share)")
            #expect(radio.commandCeiling(ofValue: byteCount) == formula.commands(byteCount))
        }
    }

    /// Where events have time for none of them as a whole, the ceiling is what they carry in the
    /// long run.
    @Test("Values that take several events fill those too", arguments: PHY.allCases)
    func longCommands(phy: PHY) {
        var longCount = 0
        for radio in Self.links(phy) {
            for byteCount in [61, 244, 512] {
                guard radio.valueCountPerEvent(ofValue: byteCount) == 0 else { continue }
                longCount += 1
                let rate = RadioRun.rate(radio, ofValue: byteCount, as: .command)
                let share = rate / radio.commandCeiling(ofValue: byteCount)
                // The last value may not be whole, and has up to 13 packets.
                #expect(share > 0.97 && share < 1.000_1, "\(radio.linkWords): \(share)")
            }
        }
        #expect(longCount > 4)
    }

    @Test("Notifications fill the peripheral's part of the events", arguments: PHY.allCases)
    func notifications(phy: PHY) {
        for radio in Self.links(phy) {
            let formula = RadioFormula(radio)
            let byteCount = formula.byteCountMax - 7
            let rate = RadioRun.rate(radio, ofValue: byteCount, as: .notification)
            #expect(rate >= formula.commands(byteCount) * 0.98, "\(radio.linkWords)")
        }
    }

    /// At 375 µs that is twelve events and 4.5 ms, and not two and 0.75: hosts answer after 2 ms.
    @Test("Requests take the events until hosts have answered", arguments: PHY.allCases)
    func requests(phy: PHY) {
        var counts: Set<Int> = []
        for radio in Self.links(phy) {
            let formula = RadioFormula(radio)
            let byteCount = formula.byteCountMax - 7
            let count = formula.eventCountPerRequest(byteCount)
            counts.insert(count)
            #expect(radio.eventCountPerRequest(ofValue: byteCount) == count, "\(radio.linkWords)")
            let rate = RadioRun.rate(radio, ofValue: byteCount, as: .request)
            let share = rate / radio.requestCeiling(ofValue: byteCount)
            #expect(abs(share - 1) < 0.01, "\(radio.linkWords): \(share)")
        }
        #expect(counts.contains(2))
        #expect(phy != .le2M || counts.contains(12))
    }

    /// A peripheral that left the time for another packet after its own would never send one in
    /// such an event, as long as the central has data.
    @Test("In the shortest events both ends have their packet", arguments: PHY.allCases)
    func bothWays(phy: PHY) {
        for radio in Self.links(phy) {
            let byteCount = RadioFormula(radio).byteCountMax - 7
            var run = RadioRun(radio)
            run.send(0..<100, byteCount: byteCount, as: .command, from: .central)
            run.send(0..<100, byteCount: byteCount, as: .notification, from: .peripheral)
            run.run(until: Instant(microseconds: 0) + radio.connectionInterval * 100)
            let last = run.now
            run.run()
            #expect(run.now - last <= radio.hostLatency + radio.connectionInterval)
            #expect(run.tokens(at: .peripheral) == Array(0..<100), "\(radio.linkWords)")
            #expect(run.tokens(at: .central) == Array(0..<100), "\(radio.linkWords)")
        }
    }
}
