import BLEOTACore
import BLEOTATestSupport
import Foundation
import Testing

@testable import BLEOTASimulation

/// The committed comparison of the modelled radio with the closed formulae and with what others
/// have published: made anew and compared. `BLEOTA_UPDATE=1` writes it.
@Suite struct RadioModelTableTests {
    private static let path = "Benchmarks/Results/radio-model.md"
    private static let intervals = [7_500, 15_000, 30_000, 50_000, 400_000]

    @Test("The model is as near to what is published as its page says")
    func table() throws {
        let published = PublishedThroughput.all.map { Published(figure: $0, modelled: $0.modelled) }
        for row in published {
            #expect(abs(row.error) <= row.figure.errorMax, "\(row.figure.source): \(row.error)")
        }
        let unmet = PublishedThroughput.unmet.map { Published(figure: $0, modelled: $0.modelled) }
        for row in unmet { #expect(row.error > 50, "met: \(row.figure.source)") }
        try CommittedResult.compare(Self.page(published, unmet), with: "radio-model.md")
    }

    @Test("The page about measuring says how near the model is, and no more")
    func document() throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../docs/measure.md").standardized
        let text = try String(contentsOf: file, encoding: .utf8)
            .split(whereSeparator: \.isWhitespace).joined(separator: " ")
        let words = "within 5 %, or 7 % where the packets of an event are limited"
        #expect(text.contains("[\(words)](../\(Self.path))"))
        #expect(text.contains("It does not reproduce two published figures"))
        // That no error is above its bound is a test above.
        for figure in PublishedThroughput.all {
            #expect(figure.errorMax <= (figure.radio.packetCountMax < .max ? 7 : 5))
        }
        #expect(PublishedThroughput.unmet.count == 2)
    }

    private struct Published {
        let figure: PublishedThroughput
        let modelled: Double

        /// In percent of what is published.
        var error: Double { (modelled / figure.kilobitsPerSecond - 1) * 100 }
    }

    // MARK: - The page

    private static func page(_ published: [Published], _ unmet: [Published]) -> String {
        var lines = introduction + publishedTable(published)
        lines += ["", "Not met, without a limit of packets:", ""] + publishedTable(unmet)
        lines += commandLines + longCommandLines + requestLines + NewRadioTable.lines
        return lines.joined(separator: "\n") + "\n"
    }

    private static var commandLines: [String] {
        [
            "", "## Write commands of one packet", "",
            "Values are 244 bytes long, and 20 with packets of 27. Each cell has two figures: how",
            "many values one event carries, and the resulting rate in kbit/s, both from the model.",
            "*–* means that an event has no time for two packets. The formula is n·v/CI.", "",
        ]
            + grid { radio, formula in
                let byteCount = radio.hasDataLengthExtension ? 244 : 20
                let rate = RadioRun.rate(radio, ofValue: byteCount, as: .command)
                let count = formula.valueCountPerEvent(byteCount)
                return ("\(count): \(kilobits(rate))", rate / formula.commands(byteCount))
            }
    }

    private static var longCommandLines: [String] {
        [
            "", "## Write commands of several packets", "",
            "Values are 495 bytes long, in two packets, or 182, in seven packets of 27. A value",
            "may begin at the end of one event and end in the next. The formula, p·(v/k)/CI,",
            "counts packets, and a value has k of them. The model counts whole values.", "",
        ]
            + grid { radio, formula in
                let byteCount = radio.hasDataLengthExtension ? 495 : 182
                let rate = RadioRun.rate(radio, ofValue: byteCount, as: .command)
                return (kilobits(rate), rate / formula.commandsByPacket(byteCount))
            }
    }

    private static var requestLines: [String] {
        [
            "", "## Write requests", "",
            "The same values of one packet, one request at a time, in kbit/s. The formula is",
            "v/(2·CI), which does not depend on the physical layer.", "",
        ]
            + grid { radio, formula in
                let byteCount = radio.hasDataLengthExtension ? 244 : 20
                let rate = RadioRun.rate(radio, ofValue: byteCount, as: .request)
                return (kilobits(rate), rate / formula.requests(byteCount))
            }
    }

    private static let introduction = [
        "# The modeled radio, compared with formulas and measurements",
        "",
        "**The model is simulated**: it is the radio of `Sources/BLEOTASimulation` alone, without",
        "sender and receiver, and one end always has something to send. This page compares it with",
        "the measurements of makers and users, and with the closed formulas of connection events.",
        "The table marks the published figures that are arithmetic.",
        "",
        "Every figure of the model is exact and repeatable: `make test` makes this page anew and",
        "compares it. `BLEOTA_UPDATE=1 swift test --filter RadioModelTable` writes it.",
        "",
        "## What others have published",
        "",
        "Rates are in kbit/s, and the error is that of the model. A controller needs some time of",
        "its own in each event, and the model needs none. The model is therefore above most",
        "measurements: by one packet per event if events are short.",
        "",
    ]

    private static func publishedTable(_ published: [Published]) -> [String] {
        let heads = ["source", "link", "published", "model", "error", "why"]
        return [line(heads), line(heads.map { _ in "---" })]
            + published.map { row in
                let figure = row.figure
                return line([
                    figure.source, link(figure), decimal(figure.kilobitsPerSecond),
                    decimal(row.modelled), percent(row.error), figure.reason,
                ])
            }
    }

    private static func link(_ figure: PublishedThroughput) -> String {
        let radio = figure.radio
        let operation =
            switch figure.operation {
            case .command: "write commands"
            case .request: "write requests"
            case .notification: "notifications"
            }
        return "\(radio.phy.rawValue), \(interval(radio)), ATT_MTU \(radio.attMTU), "
            + "\(operation) of \(figure.valueByteCount)"
    }

    /// A row for each physical layer, length of packets and encryption; a column for each interval.
    /// The last line names the largest difference.
    private static func grid(
        _ cell: (RadioSettings, RadioFormula) -> (text: String, share: Double)
    ) -> [String] {
        let heads = ["PHY", "packets", "encrypted"] + intervals.map { "\(Double($0) / 1_000) ms" }
        var lines = [line(heads), line(heads.map { _ in "---" })]
        var most = 0.0
        for phy in PHY.allCases {
            for isLong in [true, false] {
                for isEncrypted in [false, true] {
                    let cells = intervals.map { interval -> String in
                        var radio = RadioSettings()
                        radio.phy = phy
                        radio.hasDataLengthExtension = isLong
                        radio.isEncrypted = isEncrypted
                        radio.connectionInterval = Microseconds(Int64(interval))
                        radio.attMTU = 517
                        guard radio.isPossible else { return "–" }
                        let (text, share) = cell(radio, RadioFormula(radio))
                        if share.isFinite, abs(share - 1) > abs(most) { most = share - 1 }
                        return text
                    }
                    lines.append(
                        line(
                            [phy.rawValue, isLong ? "251" : "27", isEncrypted ? "yes" : "no"]
                                + cells
                        )
                    )
                }
            }
        }
        return lines + [
            "", "Largest difference between model and formula: \(percent(most * 100)).",
        ]
    }

    private static func interval(_ radio: RadioSettings) -> String {
        "\(Double(radio.connectionInterval.rawValue) / 1_000) ms"
    }

    static func kilobits(_ bytesPerSecond: Double) -> String {
        decimal(bytesPerSecond * 8 / 1_000)
    }

    /// 1,327.5
    private static func decimal(_ number: Double) -> String {
        let tenths = Int((number * 10).rounded())
        let whole = String(tenths / 10)
        let head = whole.count > 3 ? "\(whole.dropLast(3)),\(whole.suffix(3))" : whole
        return "\(head).\(tenths % 10)"
    }

    static func percent(_ number: Double) -> String {
        let tenths = Int((number * 10).rounded())
        guard tenths != 0 else { return "0.0 %" }
        let size = abs(tenths)
        return "\(tenths < 0 ? "−" : "+")\(size / 10).\(size % 10) %"
    }

    static func line(_ cells: [String]) -> String {
        "| " + cells.joined(separator: " | ") + " |"
    }
}
