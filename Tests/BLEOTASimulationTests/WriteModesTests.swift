import BLEOTACore
import Foundation
import Testing

@testable import BLEOTASimulation

/// The committed table of what a transfer makes of a link, with and without response: made anew
/// and compared. `BLEOTA_UPDATE=1` writes it.
@Suite struct WriteModesTests {
    private static let path = "Benchmarks/Results/write-modes.md"
    private static let attMTUs = [23, 65, 185, 247, 517]
    private static let intervals = [7_500, 15_000, 30_000, 50_000]

    @Test("The table of write modes is what the simulation gives today")
    func table() async throws {
        let rows = await rows()
        let text = Self.introduction + rows.joined(separator: "\n") + "\n"
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

    /// Losses once shrank the window, and the rate with it, and with that the window: at one in a
    /// hundred a transfer went on at 3 % of what the link delivered.
    @Test("Losses cost what is lost, and little more", arguments: [7_500, 50_000], [23, 247])
    func losses(interval: Int, attMTU: Int) throws {
        for loss in [0.01, 0.05] {
            var transfer = RadioTransfer()
            transfer.radio.connectionInterval = Microseconds(Int64(interval))
            transfer.radio.attMTU = attMTU
            transfer.radio.valueLoss = loss
            let report = try #require(transfer.run())
            let share = report.goodputBytesPerSecond / transfer.ceilingBytesPerSecond
            #expect(share >= 0.8, "\(loss): \(share)")
        }
    }

    /// Each rate that is a little low by chance once let the window grow, and none let it shrink.
    @Test(
        "A radio that damages packets does not make the window grow",
        arguments: [15_000, 30_000]
    )
    func damagedPackets(interval: Int) throws {
        var transfer = RadioTransfer()
        transfer.radio.phy = .le1M
        transfer.radio.connectionInterval = Microseconds(Int64(interval))
        transfer.radio.packetErrorRate = 0.03
        transfer.imageByteCount = 8 << 20
        let report = try #require(transfer.run())
        let queue = Double(report.hostQueueByteCountMax) / Double(transfer.twoEventsByteCount)
        print("3 % damaged packets, \(interval) µs: queue \(queue)")
        // What the startup puts there; it grew to three times as much.
        #expect(queue <= 12)
    }

    private static let introduction = """
        # With and without response, simulated

        What a transfer of 512 KiB makes of a link, in kB/s of the image (1 kB is 1,000 bytes), and
        in percent of what frames of that size can carry over such a link (of which a lost share is
        taken off). Both machines are the real ones; the radio is modelled
        (`Sources/BLEOTASimulation/Radio`), encrypted, with the data length extension, and nothing
        limits the packets of a connection event but time. Every run is exact and repeatable:
        `make test` makes the table anew and compares; `BLEOTA_UPDATE=1 swift test --filter
        WriteModes` writes it.

        More than 100 % is possible where a frame takes two packets, which may go in two events: the
        ceiling counts whole frames. *Queue* is the most that the sender's host had to send, as a
        multiple of what two connection events carry, at no loss. Loss is of frames, above the link
        layer. *12, then wait* sends 12 frames and waits until all are acknowledged.

        | PHY | interval | MTU | auto | 1 % loss | 5 % loss | queue | 12, wait | response | ratio |
        | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |

        """

    private func rows() async -> [String] {
        await withTaskGroup(of: (Int, String).self) { group in
            var number = 0
            for phy in [PHY.le1M, .le2M] {
                for interval in Self.intervals {
                    for attMTU in Self.attMTUs {
                        group.addTask { [number] in (number, row(phy, interval, attMTU)) }
                        number += 1
                    }
                }
            }
            var rows = [String](repeating: "", count: number)
            for await (number, row) in group { rows[number] = row }
            return rows
        }
    }

    private func row(_ phy: PHY, _ interval: Int, _ attMTU: Int) -> String {
        var transfer = RadioTransfer()
        transfer.radio.phy = phy
        transfer.radio.isEncrypted = true
        transfer.radio.connectionInterval = Microseconds(Int64(interval))
        transfer.radio.attMTU = attMTU
        let without = run(transfer)
        var lossy: [String] = []
        for loss in [0.01, 0.05] {
            var transfer = transfer
            transfer.radio.valueLoss = loss
            lossy.append(run(transfer).text)
        }
        let queue =
            Double(without.report?.hostQueueByteCountMax ?? 0) / Double(transfer.twoEventsByteCount)
        var burst = transfer
        burst.window = .burst(chunkCount: 12, pause: .untilAcknowledged)
        var response = transfer
        response.isWithResponse = true
        // One request at a time takes its time: a quarter of the image shows the same rate.
        response.imageByteCount /= 4
        let with = run(response)
        let ratio =
            (without.report?.goodputBytesPerSecond ?? 0) / (with.report?.goodputBytesPerSecond ?? 1)
        let cells = [
            phy.rawValue, "\(Double(interval) / 1_000) ms", "\(attMTU)", without.text, lossy[0],
            lossy[1], Self.rounded(queue), run(burst).text, with.text, Self.rounded(ratio),
        ]
        return "| " + cells.joined(separator: " | ") + " |"
    }

    private func run(_ transfer: RadioTransfer) -> (report: RadioTransferReport?, text: String) {
        guard let report = transfer.run() else { return (nil, "never") }
        let rate = report.goodputBytesPerSecond
        let share = rate / transfer.ceilingBytesPerSecond * 100
        return (report, "\(Self.rounded(rate / 1_000)) (\(Self.rounded(share)) %)")
    }

    private static func rounded(_ number: Double) -> String {
        let tenths = Int((number * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }
}
