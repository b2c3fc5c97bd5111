import FleetModel
import Testing

@Suite("The phases of a campaign")
struct CampaignPhaseTests {
    /// 100 devices in stages of 10 and 100, of which 1 and 10 may fail.
    private let plan = Sample.plan()
    private static let all = Sample.count(100)
    private static let first = CampaignPhase.running(stage: 0, population: all)
    private static let second = CampaignPhase.running(stage: 1, population: all)
    private static let firstPaused = CampaignPhase.paused(stage: 0, population: all)
    private static let secondPaused = CampaignPhase.paused(stage: 1, population: all)
    private static let failed = CampaignPhase.stopped(.tooManyFailures)
    private static let ended = CampaignPhase.stopped(.operator)

    private static let phases: [CampaignPhase] = [
        .ready, first, second, firstPaused, secondPaused, failed, ended, .finished,
    ]

    /// Each input with what every phase becomes, in the order of the phases.
    private static let table: [(CampaignPhase.Input, [CampaignPhase])] = [
        (
            .start(all),
            [first, first, second, firstPaused, secondPaused, failed, ended, .finished]
        ),
        (
            .start(.zero),
            [.finished, first, second, firstPaused, secondPaused, failed, ended, .finished]
        ),
        (
            .pause,
            [
                .ready, firstPaused, secondPaused, firstPaused, secondPaused, failed, ended,
                .finished,
            ]
        ),
        (.resume, [.ready, first, second, first, second, failed, ended, .finished]),
        (.stop, [ended, ended, ended, ended, ended, failed, ended, .finished]),
        (
            .counted(Sample.counts(given: 10, succeeded: 9)),
            [.ready, first, second, firstPaused, secondPaused, failed, ended, .finished]
        ),
        (
            .counted(Sample.counts(given: 10, succeeded: 9, failed: 1)),
            [.ready, second, second, firstPaused, secondPaused, failed, ended, .finished]
        ),
        (
            .counted(Sample.counts(given: 10, succeeded: 0, failed: 2)),
            [.ready, failed, second, failed, secondPaused, failed, ended, .finished]
        ),
        (
            .counted(Sample.counts(given: 100, succeeded: 89, failed: 11)),
            [.ready, failed, failed, failed, failed, failed, ended, .finished]
        ),
        (
            .counted(Sample.counts(given: 100, succeeded: 100)),
            [.ready, .finished, .finished, firstPaused, secondPaused, failed, ended, .finished]
        ),
    ]

    @Test("Every input in every phase", arguments: table.indices)
    func everyInput(row: Int) {
        let (input, results) = Self.table[row]
        for (phase, result) in zip(Self.phases, results) {
            var phase = phase
            let before = phase
            phase.handle(input, of: plan)
            #expect(phase == result, "\(before) × \(input)")
        }
    }

    @Test("Devices are due while a stage runs, within its window, up to its size")
    func due() throws {
        let window = try #require(DayWindow(opening: 60, minutes: 60))
        let windowed = Sample.plan(window: window)
        let counts = Sample.counts(given: 4)
        let (inside, outside) = (Sample.at(3_600), Sample.at(0))
        for phase in Self.phases {
            let target: Int? =
                switch phase {
                case Self.first: 10
                case Self.second: 100
                default: nil
                }
            let due = target.map { $0 - 4 } ?? 0
            #expect(phase.devicesDue(counts, of: windowed, at: inside).number == due)
            #expect(phase.devicesDue(counts, of: windowed, at: outside) == .zero)
            #expect(phase.devicesDue(counts, of: plan, at: outside).number == due)
            #expect(phase.letsDevicesTry == (target != nil))
            // More than a stage has, because the population has shrunk since.
            let many = Sample.counts(given: 101)
            #expect(phase.devicesDue(many, of: plan, at: outside) == .zero)
        }
    }
}
