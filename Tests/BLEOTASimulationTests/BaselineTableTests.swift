import BLEOTACore
import Foundation
import Testing

@testable import BLEOTASimulation

/// The committed table of bleota beside models of other protocols: made anew and compared.
/// `BLEOTA_UPDATE=1` writes it.
@Suite struct BaselineTableTests {
    private static let path = "Benchmarks/Results/baselines.md"
    private static let phys = [PHY.le1M, .le2M]
    private static let intervals = [7_500, 15_000, 30_000, 50_000]
    private static let attMTUs = [23, 185, 247]
    private static let losses = [0.0, 0.01, 0.05]
    private static let timeMax = Microseconds.seconds(1_800)

    @Test("The table of baselines is what the simulation gives today")
    func table() async throws {
        let text = await Self.page(rows())
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../\(Self.path)").standardized
        if ProcessInfo.processInfo.environment["BLEOTA_UPDATE"] != nil {
            try text.write(to: file, atomically: true, encoding: .utf8)
        }
        let committed = try String(contentsOf: file, encoding: .utf8)
        for (line, old) in zip(
            text.split(separator: "\n"),
            committed.split(separator: "\n")
        ) where line != old {
            Issue.record("\(Self.path) says\n\(old)\nand it is\n\(line)")
        }
        #expect(text.count == committed.count)
    }

    // MARK: - Runs

    /// A link, and what everything makes of it.
    private struct Row {
        let radio: RadioSettings
        /// Bytes a second, or `nil` for never.
        var bleota: Double?
        var baselines: [Baseline: Double] = [:]

        func isAhead(_ baseline: Baseline) -> Bool {
            guard let rate = baselines[baseline] else { return false }
            // As it is printed: what looks equal is.
            return Int((rate / 100).rounded()) > Int(((bleota ?? 0) / 100).rounded())
        }
    }

    /// The losses of a link share the runs without loss.
    private func rows() async -> [Row] {
        await withTaskGroup(of: (Int, [Row]).self) { group in
            var number = 0
            for phy in Self.phys {
                for interval in Self.intervals {
                    for attMTU in Self.attMTUs {
                        var radio = RadioSettings()
                        radio.phy = phy
                        radio.isEncrypted = true
                        radio.connectionInterval = Microseconds(Int64(interval))
                        radio.attMTU = attMTU
                        group.addTask { [number, radio] in (number, Self.rows(radio)) }
                        number += 1
                    }
                }
            }
            var rows = [[Row]](repeating: [], count: number)
            for await (number, row) in group { rows[number] = row }
            return rows.flatMap { $0 }
        }
    }

    private static func rows(_ radio: RadioSettings) -> [Row] {
        var rows = losses.map { loss in
            var radio = radio
            radio.valueLoss = loss
            var transfer = RadioTransfer()
            transfer.radio = radio
            transfer.imageByteCount = imageByteCount(radio)
            return Row(radio: radio, bleota: transfer.run()?.goodputBytesPerSecond)
        }
        for baseline in Baseline.allCases {
            var transfer = BaselineTransfer(baseline)
            transfer.radio = radio
            transfer.timeMax = timeMax
            transfer.imageByteCount = imageByteCount(radio) / divisor(baseline, radio)
            let clean = transfer.run()
            for (place, loss) in losses.enumerated() {
                transfer.radio.valueLoss = loss
                if loss > 0, clean.map({ isHopeless($0, transfer) }) ?? true { continue }
                let report = loss > 0 ? transfer.run() : clean
                rows[place].baselines[baseline] = report?.goodputBytesPerSecond
            }
        }
        return rows
    }

    /// Long enough that the beginning of a transfer does not decide.
    private static func imageByteCount(_ radio: RadioSettings) -> Int {
        radio.attMTU == 23 ? 1 << 16 : 1 << 18
    }

    /// What takes long, or has no beginning that counts, shows its rate with less.
    private static func divisor(_ baseline: Baseline, _ radio: RadioSettings) -> Int {
        let isShort = radio.attMTU == 23
        return switch baseline {
        case .rawStream: 1
        case .fieldRule, .legacyDFU: 16
        case .secureDFUReceipts, .secureDFU: isShort ? 8 : 4
        case .smp1, .smp3: 8
        case .smp8: isShort ? 4 : 2
        case .espSectors: isShort ? 8 : 2
        case .pwTransfer: isShort ? 8 : 1
        }
    }

    /// Whether a loss means to send again so much that this takes more than twice the time there
    /// is: of a part of so many frames, all of which have to arrive, one in (1 - p)^n does.
    private static func isHopeless(_ clean: BaselineReport, _ transfer: BaselineTransfer) -> Bool {
        let radio = transfer.radio
        let share = Double(divisor(transfer.baseline, radio))
        let frameCount = Double(clean.dataFrameCount)
        let partByteCount = 4_096
        let partCount = Double(clean.imageByteCount) / Double(partByteCount)
        func repeats(_ frameCount: Double) -> Double { pow(1 - radio.valueLoss, -frameCount) }
        let interval = Double(radio.connectionInterval.rawValue)
        let pause = interval * Double(BaselineTransfer.restartIntervalCount)
        let expected: Double
        switch transfer.baseline {
        // The whole image is sent again, after a pause.
        case .rawStream, .fieldRule, .legacyDFU: expected = pause * repeats(frameCount * share)
        // An object or a sector is.
        case .secureDFUReceipts, .secureDFU, .espSectors:
            expected = Double(clean.duration.rawValue) * repeats(frameCount / partCount)
        case .smp1, .smp3, .smp8, .pwTransfer: return false
        }
        return expected > 2 * Double(timeMax.rawValue)
    }

    // MARK: - The page

    private static func page(_ rows: [Row]) -> String {
        let heads = ["PHY", "interval", "MTU", "loss", "bleota"] + Baseline.allCases.map(\.name)
        var lines = introduction + ["", line(heads), line(heads.map { _ in "---" })]
        for row in rows {
            let baselines = Baseline.allCases.map { baseline in
                let text = rate(row.baselines[baseline])
                return row.isAhead(baseline) ? "**\(text)**" : text
            }
            lines.append(line(link(row.radio) + [rate(row.bleota)] + baselines))
        }
        return (lines + [""] + ahead(rows) + models).joined(separator: "\n") + "\n"
    }

    private static let introduction = [
        "# Beside models of other protocols, simulated",
        "",
        "**Everything here is simulated, and the other protocols are models of their algorithms**,",
        "each from its public description (the list below); none is measured, none is its makers'",
        "code, and what real hosts and devices add, such as the time that flash memory takes, is",
        "in no column.",
        "",
        "What each makes of a link, in kB/s of the image (1 kB is 1,000 bytes), from its first",
        "frame until the sender knows that the image is whole. *bleota* is `auto` without",
        "response, both real machines. All share the modelled radio",
        "(`Sources/BLEOTASimulation/Radio`): encrypted, with the data length extension, 2 ms from",
        "the arrival of a value to a host's answer, and nothing limits the packets of a connection",
        "event but time. Loss is of each write command and notification, above the link layer.",
        "",
        "One run a cell, with one seed: 256 KiB, and 64 KiB at an ATT_MTU of 23. The field rule,",
        "Legacy DFU, SMP 1 and SMP 3 are slow, and run with an eighth of that, except that where",
        "a loss means to begin again all of it counts. An abort costs 100 connection intervals.",
        "*never* is a transfer that is not over after 30 minutes of virtual time; where a loss",
        "means to begin again, and fewer than one such transfer in a hundred would be over by",
        "then, it is not run. **Bold** is ahead of bleota.",
        "",
        "Every run is exact and repeatable: `make test` makes the table anew and compares;",
        "`BLEOTA_UPDATE=1 swift test --filter BaselineTable` writes it.",
    ]

    private static var models: [String] {
        ["", "## The models", ""]
            + Baseline.allCases.map { "- **\($0.name)**: \($0.description)" }
            + [
                "",
                "Frames are as long as the ATT_MTU allows, up to 244 bytes; a request of SMP that",
                "does not fit 20 goes in fragments, and after a lost one its receiver begins anew",
                "when it has been quiet for a second. Where a protocol has no timeout, the 100",
                "intervals of the restart count from when its sender waits in vain.",
            ]
    }

    private static func ahead(_ rows: [Row]) -> [String] {
        var lines = ["## Where a model is ahead", ""]
        for baseline in Baseline.allCases {
            let cells = rows.filter { $0.isAhead(baseline) }
            guard !cells.isEmpty else { continue }
            lines += ["**\(baseline.name)**", ""]
            for row in cells {
                let place = link(row.radio).joined(separator: ", ")
                let rates = "\(rate(row.baselines[baseline])) against \(rate(row.bleota))"
                lines.append("- \(place): \(rates). \(reason(baseline, row.radio))")
            }
            lines.append("")
        }
        return lines.count > 2 ? lines.dropLast() : lines + ["Nowhere."]
    }

    private static func reason(_ baseline: Baseline, _ radio: RadioSettings) -> String {
        ""
    }

    private static func link(_ radio: RadioSettings) -> [String] {
        [
            radio.phy.rawValue, "\(Double(radio.connectionInterval.rawValue) / 1_000) ms",
            "\(radio.attMTU)", radio.valueLoss > 0 ? "\(Int(radio.valueLoss * 100)) %" : "0",
        ]
    }

    private static func rate(_ bytesPerSecond: Double?) -> String {
        guard let bytesPerSecond else { return "never" }
        let tenths = Int((bytesPerSecond / 100).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }

    private static func line(_ cells: [String]) -> String {
        "| " + cells.joined(separator: " | ") + " |"
    }
}
