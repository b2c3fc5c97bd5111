import BLEOTACore

@testable import BLEOTASimulation

/// The part of the committed comparison that is about links which only new radios have.
enum NewRadioTable {
    static var lines: [String] {
        [
            "", "## New radios", "",
            "The table has connection intervals below 7.5 ms (Core 6.2), frame spaces other than",
            "150 µs (Core 6.0), and the coded layers. The links are encrypted, and packets are as",
            "long as they can be if an event has to hold two. Only latencies of such links are",
            "published, so the model is compared with arithmetic alone. *One packet*: write",
            "commands that fill one packet, the number of them in an event, and the rate in",
            "kbit/s, compared with n·v/CI. *244 bytes*: the rate of write commands of 244 bytes,",
            "which may take several packets. *Requests*: write requests of one packet, the number",
            "of events that one request takes, and the rate, compared with v/(e·CI). At short",
            "intervals, e is above two, since either host takes 2 ms to answer.", "",
        ] + table
    }

    private static var table: [String] {
        let heads = ["PHY", "interval", "apart", "packet", "one packet", "244 bytes", "requests"]
        var lines = [line(heads), line(heads.map { _ in "---" })]
        var most = 0.0
        for radio in radios {
            let formula = RadioFormula(radio)
            let byteCount = formula.byteCountMax - 7
            let one = RadioRun.rate(radio, ofValue: byteCount, as: .command)
            let long = RadioRun.rate(radio, ofValue: 244, as: .command)
            let requests = RadioRun.rate(radio, ofValue: byteCount, as: .request)
            let eventCount = formula.eventCountPerRequest(byteCount)
            let requestCeiling =
                Double(byteCount) * 1e6 / Double(eventCount * formula.intervalMicroseconds)
            for share in [one / formula.commands(byteCount), requests / requestCeiling]
            where abs(share - 1) > abs(most) { most = share - 1 }
            lines.append(
                line([
                    radio.phy.rawValue, radio.intervalWords, radio.frameSpaces.words,
                    "\(formula.byteCountMax)",
                    "\(formula.valueCountPerEvent(byteCount)): \(kilobits(one))", kilobits(long),
                    "\(eventCount): \(kilobits(requests))",
                ])
            )
        }
        return lines + [
            "",
            "Largest difference between model and formula: "
                + RadioModelTableTests.percent(most * 100) + ".",
        ]
    }

    private static let codedIntervals = [7_500, 30_000, 50_000]
    private static let shortIntervals = [375, 750, 1_000, 1_250, 2_500, 5_000]

    private static var radios: [RadioSettings] {
        var radios: [RadioSettings] = []
        for phy in PHY.allCases {
            let isCoded = phy == .codedS2 || phy == .codedS8
            for interval in isCoded ? codedIntervals : shortIntervals {
                for spaces in isCoded ? [150] : [150, 63, 0] {
                    var radio = RadioSettings()
                    radio.phy = phy
                    radio.isEncrypted = true
                    radio.connectionInterval = Microseconds(Int64(interval))
                    radio.frameSpaces = FrameSpaces(Microseconds(Int64(spaces))) ?? .usual
                    radio.attMTU = 517
                    if let radio = radio.fitted { radios.append(radio) }
                }
            }
        }
        return radios
    }

    private static func kilobits(_ rate: Double) -> String { RadioModelTableTests.kilobits(rate) }

    private static func line(_ cells: [String]) -> String { RadioModelTableTests.line(cells) }
}
