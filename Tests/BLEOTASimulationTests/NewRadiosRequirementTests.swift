import BLEOTACore
import BLEOTATestSupport
import Testing

@testable import BLEOTASimulation

/// What an image has to reach over links that only new radios have, cell by cell, and the committed
/// results: made anew and compared. `BLEOTA_UPDATE=1` writes those. In `make test` all of it is
/// about an ATT_MTU of 247 alone, which takes a fifth of the time.
@Suite struct NewRadiosRequirementTests {
    /// What is known not to be reached today: the one place to change when a test below says so.
    private static let known: [WriteModeRequirement: KnownCells] = [
        .onePercentLoss: KnownCells(cells: ["2M, 2.5 ms, 0 µs apart, ATT_MTU 65, 1 % loss": 94]),
        .fivePercentLoss: KnownCells(cells: [
            "1M, 1.0 ms, 0 µs apart, ATT_MTU 23, 5 % loss": 94.5,
            "1M, 2.5 ms, 0 µs apart, ATT_MTU 23, 5 % loss": 94,
            "coded S2, 7.5 ms, ATT_MTU 65, 5 % loss": 93,
            "coded S8, 30.0 ms, ATT_MTU 23, 5 % loss": 94,
        ]),
        // The acknowledgement, what follows it or both go an event later, as `bursts` has it.
        .burst12: KnownCells(cells: [
            "1M, 2.5 ms, ATT_MTU 23": 97 * 5 / 7,
            "1M, 2.5 ms, ATT_MTU 65": 97 * 7 / 9,
            "1M, 2.5 ms, ATT_MTU 247": 97 * 25 / 27,
            "1M, 2.5 ms, 0 µs apart, ATT_MTU 23": 97 * 3 / 4,
            "1M, 2.5 ms, 0 µs apart, ATT_MTU 65": 97 * 5 / 6,
            "1M, 2.5 ms, 0 µs apart, ATT_MTU 247": 97 * 13 / 14,
            "2M, 2.5 ms, ATT_MTU 23": 97 * 4 / 5,
            "2M, 2.5 ms, ATT_MTU 65": 97 * 5 / 6,
            "2M, 2.5 ms, ATT_MTU 247": 97 * 13 / 14,
            "2M, 2.5 ms, 0 µs apart, ATT_MTU 65": 97 * 3 / 4,
            "2M, 2.5 ms, 0 µs apart, ATT_MTU 247": 97 * 7 / 8,
            "coded S2, 7.5 ms, ATT_MTU 23": 97 * 4 / 5,
            "coded S2, 7.5 ms, ATT_MTU 65": 97 * 5 / 6,
            "coded S2, 7.5 ms, ATT_MTU 247": 97 * 13 / 14,
        ]),
        // An account goes before the response, which then comes too late for the next event; up to
        // each request has one.
        .withResponse: KnownCells(cells: [
            "1M, 1.0 ms, ATT_MTU 23": 92, "1M, 1.0 ms, ATT_MTU 65": 94,
            "1M, 2.5 ms, ATT_MTU 23": 80, "1M, 2.5 ms, ATT_MTU 65": 86,
            "1M, 2.5 ms, ATT_MTU 247": 92, "1M, 2.5 ms, 0 µs apart, ATT_MTU 23": 80,
            "1M, 2.5 ms, 0 µs apart, ATT_MTU 65": 86, "1M, 2.5 ms, 0 µs apart, ATT_MTU 247": 92,
            "2M, 1.0 ms, ATT_MTU 23": 92, "2M, 1.0 ms, ATT_MTU 65": 93,
            "2M, 1.0 ms, ATT_MTU 247": 96, "2M, 2.5 ms, ATT_MTU 23": 80,
            "2M, 2.5 ms, ATT_MTU 65": 82, "2M, 2.5 ms, ATT_MTU 247": 92,
            "coded S8, 7.5 ms, ATT_MTU 23": 66, "coded S8, 7.5 ms, ATT_MTU 65": 74,
            "coded S8, 7.5 ms, ATT_MTU 247": 92,
        ]),
        // Hosts take more than the intervals, and at S8 the first window is many events' worth.
        .queue: KnownCells(
            cells: [
                "2M, 0.375 ms, 0 µs apart, ATT_MTU 23": 1_800,
                "2M, 0.375 ms, 0 µs apart, ATT_MTU 65": 1_900,
                "coded S8, 7.5 ms, ATT_MTU 23": 2_400, "coded S8, 7.5 ms, ATT_MTU 65": 3_600,
                "coded S8, 7.5 ms, ATT_MTU 247": 2_200, "coded S8, 30.0 ms, ATT_MTU 247": 1_750,
                "coded S8, 50.0 ms, ATT_MTU 247": 1_340,
            ],
            others: 850
        ),
        .queueUnderLoss: KnownCells(others: 3_650),
    ]

    private static let results = Task {
        await WriteModeResults(
            of: WriteModeGrid.newRadios.filter { TestScope.isFull || $0.radio.attMTU == 247 }
        )
    }

    @Test("The tables of new radios are what the simulation gives today")
    func tables() async throws {
        let results = await Self.results.value
        let summary = NewRadioSummary(results)
        guard TestScope.isFull else {
            return try CommittedResult.compareRows(summary.rows, with: "new-radios.md")
        }
        try CommittedResult.compare(summary.markdown, with: "new-radios.md")
        try CommittedResult.compare(results.json, with: "new-radios.json")
    }

    @Test(
        "Each cell of new radios reaches what it has to, or is known not to",
        arguments: WriteModeRequirement.allCases
    )
    func requirement(_ requirement: WriteModeRequirement) async {
        let cells = requirement.cells(of: await Self.results.value, over: PHY.allCases)
        var known = Self.known[requirement] ?? KnownCells()
        if !TestScope.isFull { known.keep(cells) }
        known.check(requirement, cells)
    }

    /// Of 1M two intervals of three with both spaces, of 2M the shortest with none as well; six
    /// coded links; three ATT_MTUs each.
    @Test("The requirements are about all new radios")
    func counts() async {
        let results = await Self.results.value
        let counts = WriteModeRequirement.allCases.map {
            $0.cells(of: results, over: PHY.allCases).count
        }
        let count = (4 + 5 + 6) * TestScope.choose(1, full: 3)
        #expect(counts == [count, count, count, count, count, count, 2 * count])
        #expect(Set(results.transfers.map(\.radio.frameSpaces)) == [.usual, .none])
    }

    /// By air times alone, for frames of one packet: when the last frame of a burst is there, and
    /// when the account, each with the time that a host takes.
    @Test("A burst takes its events, and those until either host has answered")
    func bursts() async throws {
        let results = await Self.results.value
        let transfers = results.transfers.filter { $0.writeMode == .burst12 }
        var count = 0
        for transfer in transfers {
            let formula = RadioFormula(transfer.radio)
            let frameByteCount = transfer.frameByteCount
            guard formula.packets(frameByteCount).count == 1 else { continue }
            count += 1
            let perEvent = formula.valueCountPerEvent(frameByteCount)
            let filledCount = (12 + perEvent - 1) / perEvent
            let lastCount = 12 - (filledCount - 1) * perEvent
            let arrivals = [
                formula.arrivalTime(ofValues: lastCount, frameByteCount),
                formula.airTime(0) + formula.spaces.central
                    + formula.airTime(Self.accountByteCount + 7),
            ]
            let interval = formula.intervalMicroseconds
            let hosts = arrivals.map {
                ($0 + Int(transfer.radio.hostLatency.rawValue) + interval - 1) / interval
            }
            let period = (filledCount - 1 + hosts[0] + hosts[1]) * interval
            let rate = Double(12 * transfer.chunkByteCount) * 1e6 / Double(period)
            let share = try #require(results.imageGoodput(transfer)) / rate
            #expect(share > 0.97 && share < 1.001, "\(transfer.radio.linkWords): \(share)")
        }
        #expect(count == TestScope.choose(5, full: 31))
    }

    /// Of an account in which nothing is missing, about.
    private static let accountByteCount = 16
}
