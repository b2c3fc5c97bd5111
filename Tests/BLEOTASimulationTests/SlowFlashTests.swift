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
        "**Everything here is simulated.** The sender and receiver are the real ones, and the",
        "radio is modeled (`Sources/BLEOTASimulation/Radio`): the link is encrypted and uses the",
        "data length extension, a host answers 2 ms after a value arrives, data is sent in write",
        "commands, and nothing is lost. The device (`Sources/BLEOTASimulation/Device`) has the",
        "flash of an nRF52832, with the times of its product specification: 85 ms to erase a page",
        "of 4,096 bytes and 41 µs to program a word, one operation at a time. A page therefore",
        "takes 127 ms, which limits the rate to 32.3 kB/s (1 kB is 1,000 bytes) on any link. For",
        "data that has arrived, the device has memory for 15 blocks of 256 bytes, as many as fit",
        "into 16 packets of 244 bytes (3,904 bytes).",
        "",
        "All rates are in kB/s of the image. *link* is the ceiling of the link, multiplied by the",
        "fraction of a frame that consists of image bytes. *lower* is the smaller of *link* and",
        "the ceiling of the flash, and the percentages are relative to *lower*. The other columns",
        "are the rates at which the image, 128 KiB, reaches the flash, from the moment when its",
        "first chunk could be sent until its last block is programmed. The hash of the image and",
        "the end of the session come later. Pages that were erased before the first chunk arrived",
        "can raise a rate slightly above 100 %.",
        "",
        "- *erase-ahead*: `auto`; while the store is otherwise idle, it erases the next page, up",
        "  to \(FlashSettings().erasedAheadPageCount) pages after the first page with missing"
            + " blocks; this is the default",
        "- *burst 12*: like *erase-ahead*, but in bursts of 12 chunks, each of which is sent when",
        "  the previous one is acknowledged; the pauses of the sender limit the rate",
        "- *not ahead*: `auto`; a page is erased only when its first block has arrived",
        "- *19 blocks*: like *not ahead*, with memory for a page, a block and a chunk (4,864",
        "  bytes)",
        "",
        "The manifest has 16 bytes for each block, which is 6 % of the image with such small",
        "blocks. It is sent before the image, and is not included in these figures.",
        "",
        "Every run is exact and repeatable. `make check` generates this page and compares it with",
        "the committed file. `BLEOTA_UPDATE=1 swift test --filter SlowFlash` writes the file.",
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
            "## Summary",
            "",
            words(.erasingAhead, "erase-ahead"),
            words(.notAhead, "not ahead"),
            words(.withMoreMemory, "19 blocks"),
            "",
            "Frames for which a receiver had no room, in all runs together: \(frameCount).",
            "",
            "At an ATT_MTU of 23, the link is slower than the flash, and the sender causes the",
            "difference from 100 %: it begins with as many chunks as 1M carries in an event, and",
            "increases this number later. At an ATT_MTU of 517, a chunk has 488 bytes, and the",
            "memory holds only seven chunks.",
            "",
            "Without erase-ahead, the flash waits for the first block of each page. A page has 16",
            "blocks, but only 15 fit into the memory. The last block of a page, and then the",
            "first block of the next page, are therefore sent only when a block has been",
            "programmed and its credit has reached the sender. This takes up to two intervals:",
            "one until the notification is sent, and one until the data is. The 15 blocks keep",
            "the flash busy for only 39 ms of this time.",
            "",
            "With memory for a page, a block and a chunk, the first block of the next page has",
            "arrived when a page is complete, and its erasure covers the round trip. The memory",
            "for the chunk is needed because a chunk can extend past the end of the last block.",
            "With erase-ahead, the flash uses the round trip for erasures, which are necessary",
            "anyway.",
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
