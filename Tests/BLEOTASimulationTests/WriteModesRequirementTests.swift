import BLEOTACore
import Testing

@testable import BLEOTASimulation

/// What an image has to reach over each link of the committed grid, cell by cell.
@Suite struct WriteModesRequirementTests {
    /// What is known not to be reached today: the one place to change when a test below says so.
    private static let known: [WriteModeRequirement: KnownCells] = [
        // The acknowledgement goes an event later, as `burstEvents` has it: six events in place of
        // five, and so on.
        .burst12: KnownCells(cells: [
            "1M, 7.5 ms, ATT_MTU 185": 97 * 5 / 6,
            "2M, 7.5 ms, ATT_MTU 23": 97 * 2 / 3,
            "2M, 7.5 ms, ATT_MTU 185": 97 * 3 / 4,
            "2M, 15.0 ms, ATT_MTU 185": 97 * 2 / 3,
        ]),
        .queue: KnownCells(cells: ["coded S8, 50.0 ms, ATT_MTU 247": 1_340], others: 260),
        .queueUnderLoss: KnownCells(
            cells: [
                "1M, 7.5 ms, ATT_MTU 517, 1 % loss": 360, "1M, 7.5 ms, ATT_MTU 517, 5 % loss": 460,
            ],
            others: 310
        ),
    ]

    /// Tests of the committed grid need all of it, so it is run once.
    static let results = Task { await WriteModeResults(of: WriteModeGrid.committed) }

    @Test(
        "Each cell of the grid reaches what it has to, or is known not to",
        arguments: WriteModeRequirement.allCases
    )
    func requirement(_ requirement: WriteModeRequirement) async {
        let known = Self.known[requirement] ?? KnownCells()
        known.check(requirement, requirement.cells(of: await Self.results.value))
    }

    /// So what is measured of them is W·v/((⌈W/n⌉ + 1)·CI) and v/(2·CI).
    @Test("No event of these links is shorter than what hosts take to answer")
    func hosts() {
        for transfer in WriteModeGrid.committed {
            let radio = transfer.radio
            #expect(radio.hostLatency < radio.connectionInterval)
            #expect(radio.eventCountPerRequest(ofValue: transfer.chunkByteCount + 4) == 2)
            #expect(radio.valueCountPerEvent(ofValue: transfer.chunkByteCount + 4) > 0)
            #expect(radio.fitted == radio)
        }
    }

    @Test("The requirements are about all cells of the grid, each measured by arithmetic by hand")
    func measures() async throws {
        let results = await Self.results.value
        let counts = WriteModeRequirement.allCases.map { $0.cells(of: results).count }
        // Two physical layers, four intervals and five ATT_MTUs; four links of the coded ones.
        #expect(counts == [40, 40, 40, 44, 44, 44, 80])
        // 2M, 30 ms, ATT_MTU 185: frames of 180 bytes, 176 of them image (a chunk is a multiple of
        // 4). Each takes 4 × (2 + 4 + 2 + 187 + 4 + 3) + 150 + 44 + 150 = 1,152 µs: 25 an event.
        let link = "2M, 30.0 ms, ATT_MTU 185"
        let rates: [(WriteModeRequirement, Double)] = [
            (.cleanLink, 25 * 176 / 0.030), (.burst12, 12 * 176 / 0.060),
            (.withResponse, 176 / 0.060),
        ]
        for (requirement, rate) in rates {
            let cell = try #require(requirement.cells(of: results).first { $0.link == link })
            let goodput = try #require(results.imageGoodput(cell.transfer))
            let percent = try #require(cell.percent)
            #expect(abs(percent - goodput / rate * 100) < 1e-9, "\(requirement.name)")
        }
        let cell = try #require(
            WriteModeRequirement.queue.cells(of: results).first { $0.link == link }
        )
        let queue = try #require(results[cell.transfer]).hostQueueByteCountMax
        #expect(cell.percent == Double(queue) / Double(2 * 25 * 180) * 100)
    }

    /// By air times alone, for frames of one packet.
    @Test("A burst takes the events that it fills, one for the answer, and one if that is late")
    func burstEvents() async throws {
        let results = await Self.results.value
        let cells = WriteModeRequirement.burst12.cells(of: results)
            .filter { $0.transfer.radio.attMTU <= 247 }
        var lateNames: Set<String> = []
        for cell in cells {
            let transfer = cell.transfer
            let formula = RadioFormula(transfer.radio)
            let frameByteCount = transfer.chunkByteCount + 4
            let perEvent = formula.valueCountPerEvent(frameByteCount)
            let eventCount = (12 + perEvent - 1) / perEvent
            let lastCount = 12 - (eventCount - 1) * perEvent
            let answeredAt =
                formula.arrivalTime(ofValues: lastCount, frameByteCount)
                + Int(transfer.radio.hostLatency.rawValue)
            let isLate = answeredAt > formula.intervalMicroseconds
            if isLate { lateNames.insert(cell.link) }
            let period = (eventCount + 1 + (isLate ? 1 : 0)) * formula.intervalMicroseconds
            let rate = Double(12 * transfer.chunkByteCount) * 1e6 / Double(period)
            let share = try #require(results.imageGoodput(transfer)) / rate
            #expect(share > 0.97 && share < 1.001, "\(cell.link): \(share)")
        }
        #expect(lateNames == Set((Self.known[.burst12]?.cells ?? [:]).keys))
    }
}
