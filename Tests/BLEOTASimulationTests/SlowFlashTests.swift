import BLEOTACore
import BLEOTATestSupport
import Foundation
import Testing

@testable import BLEOTASimulation

/// What a transfer to a slow flash with a small buffer makes of it: the committed table, of which
/// `make test` makes a part.
@Suite struct SlowFlashTests {
    /// A way to use the device.
    private enum Way: CaseIterable {
        case erasingAhead
        case burst
        case notAhead
        case withMoreMemory

        var window: WindowPolicy {
            self == .burst ? .burst(chunkCount: 12, pause: .untilAcknowledged) : .automatic
        }

        var erasedAheadPageCount: Int {
            switch self {
            case .erasingAhead, .burst: FlashSettings().erasedAheadPageCount
            case .notAhead, .withMoreMemory: 0
            }
        }

        /// 15 blocks of 256 bytes are what 16 packets of 244 bytes hold; 19 hold a page, a block
        /// and a chunk.
        var blockCount: Int { self == .withMoreMemory ? 19 : 15 }
    }

    private struct Row {
        let transfer: RadioTransfer
        let reports: [Way: RadioTransferReport]

        func rate(_ way: Way) -> Double { reports[way]?.storingBytesPerSecond ?? 0 }
        func share(_ way: Way) -> Double { rate(way) / transfer.lowerCeilingBytesPerSecond }
    }

    //= CREDIT-3
    @Test("With 85 ms for each page and 16 packets of memory, a transfer fills link or flash")
    func table() async throws {
        let rows = await Self.rows()
        for row in rows {
            let radio = row.transfer.radio
            let name = Self.link(radio).joined(separator: ", ")
            #expect(row.reports.count == Way.allCases.count, "\(name)")
            #expect(row.reports.values.allSatisfy { $0.framesWithoutRoom == 0 }, "\(name)")
            #expect(row.share(.erasingAhead) >= 0.9, "\(name): \(row.share(.erasingAhead))")
        }
        if TestScope.isFull {
            try CommittedResult.compare(Self.page(rows), with: "slow-flash.md")
        } else {
            try CommittedResult.compareRows(rows.map(Self.line), with: "slow-flash.md")
        }
    }

    // MARK: - Runs

    private static func rows() async -> [Row] {
        var transfers: [RadioTransfer] = []
        for phy in TestScope.choose([.le2M], full: [PHY.le1M, .le2M]) {
            for interval in TestScope.choose(
                [7_500, 50_000],
                full: [7_500, 15_000, 30_000, 50_000]
            ) {
                for attMTU in [23, 65, 185, 247, 517] {
                    var transfer = RadioTransfer()
                    transfer.radio.isEncrypted = true
                    transfer.radio.phy = phy
                    transfer.radio.connectionInterval = Microseconds(Int64(interval))
                    transfer.radio.attMTU = attMTU
                    transfer.imageByteCount = 1 << 17
                    transfer.blockByteCount = 256
                    transfer.flash = FlashSettings()
                    transfers.append(transfer)
                }
            }
        }
        return await withTaskGroup(of: (Int, Row).self) { group in
            for (number, transfer) in transfers.enumerated() {
                group.addTask { (number, row(transfer)) }
            }
            var rows = [Row?](repeating: nil, count: transfers.count)
            for await (number, row) in group { rows[number] = row }
            return rows.compactMap { $0 }
        }
    }

    private static func row(_ transfer: RadioTransfer) -> Row {
        var reports: [Way: RadioTransferReport] = [:]
        for way in Way.allCases {
            var transfer = transfer
            transfer.window = way.window
            transfer.receiverBlockCount = way.blockCount
            transfer.flash?.erasedAheadPageCount = way.erasedAheadPageCount
            reports[way] = transfer.run()
        }
        return Row(transfer: transfer, reports: reports)
    }

    // MARK: - The page

    private static func page(_ rows: [Row]) -> String {
        let heads = [
            "PHY", "interval", "MTU", "link", "lower", "**erase-ahead**", "%", "burst 12",
            "not ahead", "%", "19 blocks", "%",
        ]
        var lines = introduction + ["", line(heads), line(heads.map { _ in "---" })]
        lines += rows.map(line)
        return (lines + [""] + summary(rows)).joined(separator: "\n") + "\n"
    }

    private static func line(_ row: Row) -> String {
        func figures(_ way: Way) -> [String] {
            [kilobytes(row.rate(way)), percent(row.share(way))]
        }
        let ceilings = [
            row.transfer.ceilingBytesPerSecond, row.transfer.lowerCeilingBytesPerSecond,
        ]
        let ahead = figures(.erasingAhead)
        return line(
            link(row.transfer.radio) + ceilings.map(kilobytes) + ["**\(ahead[0])**", ahead[1]]
                + [kilobytes(row.rate(.burst))] + figures(.notAhead) + figures(.withMoreMemory)
        )
    }

    private static let introduction = [
        "# Slow flash and a small buffer, simulated",
        "",
        "**Everything here is simulated.** Both real machines, over the modelled radio",
        "(`Sources/BLEOTASimulation/Radio`: encrypted, with the data length extension, 2 ms from",
        "the arrival of a value to a host's answer), write commands, nothing lost. The device",
        "(`Sources/BLEOTASimulation/Device`) has the flash of an nRF52832 as its product",
        "specification has it: 85 ms to erase a page of 4,096 bytes and 41 µs to program a word,",
        "one thing at a time. That is 127 ms a page, and a ceiling of 32.3 kB/s (1 kB is 1,000",
        "bytes), whatever the link. Its memory for what has arrived is 15 blocks of 256 bytes: 16",
        "packets of 244 bytes are 3,904 bytes.",
        "",
        "*link* is the ceiling of the link times the share of a frame that is image, *lower* the",
        "smaller of that and of the flash, both in kB/s, and the percentages are of *lower*. Then",
        "what becomes of the image, from when its first chunk may be sent until its last block is",
        "programmed: 128 KiB, after which the hash and the end of the session come. Pages that",
        "were erased before the first chunk came can make it a little more than all.",
        "",
        "- *erase-ahead*: `auto`; while it has nothing else to do, the store erases the page that",
        "  comes next, up to \(FlashSettings().erasedAheadPageCount) past the first with missing"
            + " blocks, the default",
        "- *burst 12*: the same, in bursts of 12 chunks until acknowledged, which the sender's",
        "  pauses limit",
        "- *not ahead*: `auto`; a page is erased when its first block has arrived",
        "- *19 blocks*: the same, with memory for a page, a block and a chunk: 4,864 bytes",
        "",
        "The manifest has 16 bytes for each block, 6 % of the image with such small ones, and",
        "comes before; it is not in these figures.",
        "",
        "Every run is exact and repeatable: `make check` makes the table anew and compares;",
        "`BLEOTA_UPDATE=1 swift test --filter SlowFlash` writes it.",
    ]

    private static func summary(_ rows: [Row]) -> [String] {
        func words(_ way: Way, _ name: String) -> String {
            let shares = rows.map { $0.share(way) }
            let below = shares.count { $0 < 0.9 }
            return "- *\(name)*: \(percent(shares.min() ?? 0)) % at worst, below 90 % in"
                + " \(below) of \(rows.count) cells"
        }
        let frameCount = rows.flatMap(\.reports.values).reduce(0) { $0 + $1.framesWithoutRoom }
        return [
            "## What it comes to",
            "",
            words(.erasingAhead, "erase-ahead"),
            words(.notAhead, "not ahead"),
            words(.withMoreMemory, "19 blocks"),
            "",
            "Frames for which a receiver had no room: \(frameCount), in all runs.",
            "",
            "At an ATT_MTU of 23 the link is slower than the flash, and what is missing there is",
            "the sender's: it begins with what 1M carries in an event and adds to it. At 517 a",
            "chunk has 488 bytes, of which the memory holds seven.",
            "",
            "Without erase-ahead the flash waits for the first block of each page. Of a page of 16",
            "blocks 15 fit the memory, so the last one, and then the first of the next page, are",
            "sent when a block has been programmed and its credit has come back: up to two",
            "intervals later, one until the notification goes and one until the data. The 15",
            "blocks keep the flash busy for 39 ms of that. With a page, a block and a chunk of",
            "memory the next page's first block is there when a page is full, and its erasure",
            "covers the round trip; the chunk is for what lies across the border of the last",
            "block. With erase-ahead the flash erases in that time, which it has to do anyway.",
        ]
    }

    private static func link(_ radio: RadioSettings) -> [String] {
        [
            radio.phy.rawValue, "\(Double(radio.connectionInterval.rawValue) / 1_000) ms",
            "\(radio.attMTU)",
        ]
    }

    private static func kilobytes(_ bytesPerSecond: Double) -> String {
        tenths(bytesPerSecond / 100)
    }

    private static func percent(_ share: Double) -> String { tenths(share * 1_000) }

    private static func tenths(_ number: Double) -> String {
        let tenths = Int(number.rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }

    private static func line(_ cells: [String]) -> String {
        "| " + cells.joined(separator: " | ") + " |"
    }
}
