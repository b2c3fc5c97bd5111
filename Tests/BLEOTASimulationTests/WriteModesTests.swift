import BLEOTACore
import BLEOTATestSupport
import Testing

@testable import BLEOTASimulation

/// The committed results of what a transfer makes of a link, with and without response: made anew
/// and compared. `BLEOTA_UPDATE=1` writes them.
@Suite struct WriteModesTests {
    @Test("The tables of write modes are what the simulation gives today")
    func tables() async throws {
        let results = await WriteModesRequirementTests.results.value
        try CommittedResult.compare(WriteModeSummary(results).markdown, with: "write-modes.md")
        try CommittedResult.compare(results.json, with: "write-modes.json")
    }

    @Test("A grid leaves out links whose events have no time for two packets, and nothing else")
    func possibleLinks() {
        let transfers = WriteModeGrid().transfers
        let intervals = Dictionary(grouping: transfers, by: \.radio.phy).mapValues {
            Set($0.map(\.radio.connectionInterval.rawValue)).sorted()
        }
        #expect(
            intervals == [
                .le1M: [7_500, 15_000, 30_000, 50_000], .le2M: [7_500, 15_000, 30_000, 50_000],
                .codedS2: [15_000, 30_000, 50_000], .codedS8: [50_000],
            ]
        )
        #expect(transfers.count == 12 * 5 * 3 * 7)
        #expect(Set(transfers).count == transfers.count)
    }

    /// Of the 20 bytes 16 are image, so this is 1.92 kB/s of it, over any link that has time for 12
    /// packets in 100 ms.
    @Test(
        "The field rule is as its users know it: 12 packets of 20 bytes each 100 ms, 2.4 kB/s",
        arguments: [PHY.le1M, .le2M],
        [7_500, 15_000, 30_000, 50_000]
    )
    func fieldRule(phy: PHY, interval: Int) throws {
        var transfer = RadioTransfer()
        transfer.radio.phy = phy
        transfer.radio.connectionInterval = Microseconds(Int64(interval))
        transfer.radio.attMTU = 23
        transfer.window = .fieldRule
        transfer.imageByteCount = 1 << 15
        transfer.keepsTimeline = true
        let report = try #require(transfer.run())
        let sentCounts = Dictionary(
            grouping: report.timeline.filter { $0.kind == .sent },
            by: \.moment
        )
        .mapValues(\.count)
        let moments = sentCounts.keys.sorted()
        #expect(moments.dropLast().allSatisfy { sentCounts[$0] == 12 })
        #expect(
            zip(moments, moments.dropFirst()).allSatisfy { $1 - $0 == .milliseconds(100) }
        )
        let rate = report.imageGoodputBytesPerSecond
        #expect(abs(rate / (2_400 * 16 / 20) - 1) < 0.01, "\(rate) bytes/s")
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
}
