import BLEOTACore
import Testing

@testable import BLEOTASimulation

/// The modelled radio alone, against the closed formulae.
@Suite struct RadioLinkTests {
    /// Links of a physical layer: long and short packets, encrypted and not, at each interval whose
    /// events have time for them.
    static func links(_ phy: PHY) -> [RadioSettings] {
        var links: [RadioSettings] = []
        for isLong in [true, false] {
            for isEncrypted in [false, true] {
                for interval in [7_500, 15_000, 30_000, 50_000, 400_000] {
                    var radio = RadioSettings()
                    radio.phy = phy
                    radio.hasDataLengthExtension = isLong
                    radio.isEncrypted = isEncrypted
                    radio.connectionInterval = Microseconds(Int64(interval))
                    radio.attMTU = 517
                    if radio.isPossible { links.append(radio) }
                }
            }
        }
        return links
    }

    @Test("Values of one packet fill the link to the last one", arguments: PHY.allCases)
    func commands(phy: PHY) {
        for radio in Self.links(phy) {
            let byteCount = radio.hasDataLengthExtension ? 244 : 20
            let formula = RadioFormula(radio)
            let count = formula.valueCountPerEvent(byteCount)
            #expect(radio.valueCountPerEvent(ofValue: byteCount) == count)
            let rate = RadioRun.rate(radio, ofValue: byteCount, as: .command)
            let share = rate / formula.commands(byteCount)
            #expect(abs(share - 1) < 0.000_1, "\(radio.linkWords): \(share)")
        }
    }

    /// What is left of an event takes the first packets of a value whose others go in the next.
    @Test(
        "Values of several packets go on in the next event, and fill each to the last packet",
        arguments: PHY.allCases
    )
    func longCommands(phy: PHY) {
        for radio in Self.links(phy) {
            let formula = RadioFormula(radio)
            let even = radio.hasDataLengthExtension ? 495 : 182
            let rate = RadioRun.rate(radio, ofValue: even, as: .command)
            // The last value may not be whole.
            let share = rate / formula.commandsByPacket(even)
            #expect(share > 0.98 && share < 1.000_1, "\(radio.linkWords): \(share)")
            let uneven = radio.hasDataLengthExtension ? 512 : 20 + 27
            let unevenRate = RadioRun.rate(radio, ofValue: uneven, as: .command)
            #expect(unevenRate > formula.commands(uneven) * 0.98, "\(radio.linkWords)")
            #expect(unevenRate < formula.asymptote(uneven) * 1.001, "\(radio.linkWords)")
        }
    }

    @Test("Notifications fill the peripheral's part of the events", arguments: PHY.allCases)
    func notifications(phy: PHY) {
        for radio in Self.links(phy) {
            let byteCount = radio.hasDataLengthExtension ? 244 : 20
            let rate = RadioRun.rate(radio, ofValue: byteCount, as: .notification)
            let formula = RadioFormula(radio)
            // The empty packet goes first, and not last: of the same length.
            #expect(rate >= formula.commands(byteCount) * 0.98, "\(radio.linkWords)")
            #expect(rate <= formula.asymptote(byteCount) * 1.001, "\(radio.linkWords)")
        }
    }

    @Test("Requests take two events each, however short the interval", arguments: PHY.allCases)
    func requests(phy: PHY) {
        for radio in Self.links(phy) {
            let byteCount = radio.hasDataLengthExtension ? 244 : 20
            let rate = RadioRun.rate(radio, ofValue: byteCount, as: .request)
            let share = rate / RadioFormula(radio).requests(byteCount)
            #expect(abs(share - 1) < 0.000_1, "\(radio.linkWords): \(share)")
        }
    }

    @Test("A limit of packets an event limits what goes in one", arguments: [1, 4, 6])
    func packetLimit(count: Int) {
        var radio = RadioSettings()
        radio.phy = .le1M
        radio.packetCountMax = count
        let rate = RadioRun.rate(radio, ofValue: 20, as: .command)
        #expect(abs(rate / (Double(20 * count) / 0.030) - 1) < 0.001)
    }

    @Test("A damaged packet is sent again, and everything arrives once and in order")
    func damage() {
        var radio = RadioSettings()
        radio.packetErrorRate = 0.2
        var run = RadioRun(radio)
        run.send(0..<500, byteCount: 244, as: .command, from: .central)
        run.send(1_000..<1_500, byteCount: 200, as: .notification, from: .peripheral)
        run.run()
        #expect(run.tokens(at: .peripheral) == Array(0..<500))
        #expect(run.tokens(at: .central) == Array(1_000..<1_500))
        #expect(run.link.queuedByteCountMax(at: .central) == 500 * 244)
    }
}
