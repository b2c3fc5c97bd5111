import BLEOTACore
import BLEOTATestSupport
import Foundation
import Testing

@testable import BLEOTASimulation
@testable import Baselines

/// The committed table of bleota beside models of other protocols: made anew and compared, of
/// `make test` one link in eight. `BLEOTA_UPDATE=1` writes it.
@Suite struct BaselineTableTests {
    private static let phys = TestScope.choose([.le2M], full: [PHY.le1M, .le2M])
    private static let intervals = TestScope.choose(
        [30_000],
        full: [7_500, 15_000, 30_000, 50_000]
    )
    private static let attMTUs = [23, 185, 247]
    private static let losses = [0.0, 0.01, 0.05]
    private static let timeMax = Microseconds.seconds(1_800)

    @Test("The table of baselines is what the simulation gives today")
    func table() async throws {
        let rows = await rows()
        if TestScope.isFull {
            try CommittedResult.compare(Self.page(rows), with: "baselines.md")
        } else {
            try CommittedResult.compareRows(rows.map(Self.line), with: "baselines.md")
        }
    }

    // MARK: - Runs

    /// A link, and what everything makes of it.
    private struct Row {
        let radio: RadioSettings
        /// Bytes a second, or `nil` for never.
        var bleota: Double?
        var baselines: [Baseline: Double] = [:]
        /// What its frames could carry of the image if the link had nothing else to do.
        let bleotaCeiling: Double
        var ceilings: [Baseline: Double] = [:]

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
            let rate = median(loss) { (seed: UInt64) -> Double? in
                transfer.seed = seed
                return transfer.run()?.goodputBytesPerSecond
            }
            return Row(
                radio: radio,
                bleota: rate,
                bleotaCeiling: transfer.ceilingBytesPerSecond
            )
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
                rows[place].ceilings[baseline] = clean.map { ceiling($0, transfer) }
                rows[place].baselines[baseline] = median(loss) { (seed: UInt64) -> Double? in
                    transfer.seed = seed
                    let report = loss > 0 ? transfer.run() : clean
                    return report?.goodputBytesPerSecond
                }
            }
        }
        return rows
    }

    /// The median of five runs with loss, whose seeds draw different ones; never is less than any.
    private static func median(_ loss: Double, _ run: (UInt64) -> Double?) -> Double? {
        let seedLast: UInt64 = loss > 0 ? 5 : 1
        let rates = (1...seedLast).map { run($0) ?? 0 }.sorted()
        let rate = rates[rates.count / 2]
        return rate > 0 ? rate : nil
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

    private static func ceiling(_ report: BaselineReport, _ transfer: BaselineTransfer) -> Double {
        let frameByteCount =
            switch transfer.baseline {
            case .fieldRule, .legacyDFU: 20
            default: BaselineSetup.valueByteCountMax(transfer.radio)
            }
        let perFrame = Double(report.imageByteCount) / Double(report.dataFrameCount)
        return transfer.radio.commandCeiling(ofValue: frameByteCount) * perFrame
            / Double(frameByteCount) * (1 - transfer.radio.valueLoss)
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
        lines += rows.map(line)
        return (lines + [""] + ahead(rows) + models).joined(separator: "\n") + "\n"
    }

    private static func line(_ row: Row) -> String {
        let baselines = Baseline.allCases.map { baseline in
            let text = rate(row.baselines[baseline])
            return row.isAhead(baseline) ? "**\(text)**" : text
        }
        return line(link(row.radio) + [rate(row.bleota)] + baselines)
    }

    private static let introduction = [
        "# Comparison with models of other protocols, simulated",
        "",
        "**Everything here is simulated, and the other protocols are models of their",
        "algorithms**, built from their public descriptions (listed below). None of these",
        "protocols is measured, and no model uses the code of a protocol's makers. No column",
        "includes the costs of real hosts and devices, such as the time to program flash memory.",
        "",
        "Rates are in kB/s of the image (1 kB is 1,000 bytes), from the sender's first frame",
        "until the sender knows that the image is complete. *bleota* is `auto` without response,",
        "with the real sender and receiver. All protocols share the modeled radio",
        "(`Sources/BLEOTASimulation/Radio`): the link is encrypted and uses the data length",
        "extension, a host answers 2 ms after a value arrives, and only time limits the packets",
        "of a connection event. The loss rate applies to each write command and notification,",
        "above the link layer. If an event still lasts after these 2 ms, the host answers within",
        "it, and a window of three (SMP 3) fills the link, as over LE 1M at an ATT_MTU of 247.",
        "Otherwise, a window of three takes two events.",
        "",
        "An image has 256 KiB, or 64 KiB at an ATT_MTU of 23. With loss, each cell is the median",
        "of five runs. Protocols that are slow, or take the same time for each part of an image,",
        "send only a fraction of it: Legacy DFU and *field rule* a sixteenth, SMP 1 and SMP 3 an",
        "eighth, Secure DFU a quarter, SMP 8 and ESP sectors a half; at an ATT_MTU of 23, Secure",
        "DFU, ESP sectors and pw_transfer an eighth, and SMP 8 a quarter. After an abort, 100",
        "connection intervals pass before the restart. *never* marks a transfer that takes more",
        "than 30 minutes of virtual time. Some protocols send the whole image or 4 KiB again",
        "after a loss. If the expected time of such a transfer is more than twice the limit, the",
        "cell is *never*, and the transfer is not run. **Bold** marks rates above bleota's.",
        "",
        "Every run is exact and repeatable. `make check` generates this page and compares it with",
        "the committed file. `BLEOTA_UPDATE=1 swift test --filter BaselineTable` writes the file.",
    ]

    private static var models: [String] {
        ["", "## The models", ""]
            + Baseline.allCases.map { "- **\($0.name)**: \($0.description)" }
            + [
                "",
                "Unless stated otherwise, frames are as long as the ATT_MTU allows, up to 244",
                "bytes. An SMP request that does not fit into a value of 20 bytes is sent in",
                "fragments. After the loss of a fragment, the receiver resynchronizes when",
                "nothing has arrived for a second. If a protocol has no timeout, the 100",
                "intervals before a restart count from the moment when the sender began to wait.",
            ]
    }

    private static func ahead(_ rows: [Row]) -> [String] {
        var lines = [
            "## Where a model is ahead", "",
            "Rates are in kB/s. A *ceiling* is the rate at which the full frames of a protocol",
            "could carry the image over this link if nothing else were sent.",
        ]
        var isAnywhere = false
        for baseline in Baseline.allCases {
            let cells = rows.filter { $0.isAhead(baseline) }
            guard !cells.isEmpty else { continue }
            isAnywhere = true
            let heads = [
                "PHY", "interval", "MTU", "loss", baseline.name, "bleota",
                "\(baseline.name) ceiling", "bleota ceiling",
            ]
            lines += ["", "**\(baseline.name)**: \(reason(baseline))", ""]
            lines += [line(heads), line(heads.map { _ in "---" })]
            for row in cells {
                let figures = [
                    row.baselines[baseline], row.bleota, row.ceilings[baseline], row.bleotaCeiling,
                ]
                lines.append(line(link(row.radio) + figures.map(rate)))
            }
        }
        return isAnywhere ? lines : lines + ["", "Nowhere."]
    }

    /// Why it can be.
    private static func reason(_ baseline: Baseline) -> String {
        switch baseline {
        case .rawStream:
            "each byte of a frame is an image byte, and apart from a request to start and one to "
                + "verify, nothing else is sent. The model therefore shows what frames of the "
                + "full length can carry. In a bleota frame, four bytes are the index and the "
                + "checksum, which is a fifth of the frame at an ATT_MTU of 23. At an ATT_MTU of "
                + "185, bleota's frames have 180 bytes and not 182, and one more of them fits into "
                + "some events, so its ceiling is higher there. With an image this short, the time "
                + "for the opening, the manifest and the growth of the window also counts. If a "
                + "single frame is lost, the raw stream has to start over."
        case .smp1, .smp3, .smp8:
            "at an ATT_MTU of 23, a request of 244 bytes is sent in 13 fragments, and 219 of its "
                + "bytes (90 %) are image bytes. In a bleota frame, 16 of 20 bytes (80 %) are, "
                + "because each frame has an index and a checksum of its own. The fragments have "
                + "neither, so the models of SMP reach only 0.3 to 0.8 kB/s at 1 % loss."
        case .espSectors:
            "at an ATT_MTU of 23, a frame has three bytes of overhead, and a bleota frame has "
                + "four. The pause after a sector is short if the connection interval is."
        case .fieldRule, .legacyDFU, .secureDFUReceipts, .secureDFU:
            "each byte of a frame is an image byte, but four bytes of a bleota frame are the index "
                + "and the checksum."
        case .pwTransfer:
            "its frames have more overhead than bleota's, so bleota loses the time in its opening "
                + "and in its window."
        }
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
