import Testing

@testable import BLEOTACore

/// Busy hosts answer in bunches, and work off many chunks at once in less time.
@Suite("BulkTrial")
struct BulkTrialTests {
    private var trial = BulkTrial()
    private var now = 0
    private var left: UInt32 = 0
    private let paced = PacingRate(of: 400, in: .seconds(1))!

    /// An account after so many milliseconds, in which so many chunks have left the link.
    private mutating func acknowledgement(
        after milliseconds: Int,
        left count: UInt32,
        roundTrip: Int
    ) -> RateSample {
        now += milliseconds
        left += count
        return RateSample(
            now: .milliseconds(now),
            deliveredTotal: left,
            leftTotal: left,
            deliveredWhenSent: 0,
            isSenderLimited: false,
            roundTrip: .milliseconds(roundTrip),
            baseRoundTrip: .milliseconds(40)
        )
    }

    /// Accounts of a paced sender with these round trips; whether a trial began.
    private mutating func hears(_ roundTrips: [Int]) -> Bool {
        for roundTrip in roundTrips {
            let sample = acknowledgement(after: 100, left: 40, roundTrip: roundTrip)
            trial.note(sample)
            if trial.begin(at: paced, sample) { return true }
        }
        return false
    }

    /// Accounts of a trial, in each of which so many chunks have left the link.
    private mutating func goesOn(_ counts: [UInt32]) {
        for count in counts {
            trial.advance(with: acknowledgement(after: 125, left: count, roundTrip: 200))
        }
    }

    @Test("Round trips that a draining queue explains begin no trial")
    mutating func queue() {
        #expect(!hears([40, 80, 120, 160, 121, 82, 43, 40]))
        // Once may be a loss.
        #expect(!hears([200, 40] + Array(repeating: 40, count: 8) + [200, 40]))
        #expect(!trial.isBulk)
    }

    @Test("A trial that brings a tenth more is for good, until the rate is as low as before")
    mutating func worthIt() {
        #expect(hears([40, 150, 40, 150, 40]))
        #expect(trial.isBulk)
        // 100 chunks fill the link; then 56 in 125 ms are 448 a second.
        goesOn([50, 50, 56, 56, 56])
        #expect(trial.isBulk)
        goesOn([52, 52])
        #expect(trial.isBulk)
        goesOn([50, 50])
        #expect(trial.isBulk)
        goesOn([50, 50])
        #expect(!trial.isBulk)
    }

    @Test("What comes in bunches is measured from the beginning of one to that of another")
    mutating func bunches() {
        #expect(hears([40, 150, 40, 150, 40]))
        // 97 chunks in 165 ms are 588 a second. The first span of 250 ms has one
        // whole bunch and the first account of another: 49 chunks, or 196 a second.
        for _ in 0..<5 {
            trial.advance(with: acknowledgement(after: 155, left: 1, roundTrip: 165))
            #expect(trial.isBulk)
            trial.advance(with: acknowledgement(after: 5, left: 48, roundTrip: 165))
            trial.advance(with: acknowledgement(after: 5, left: 48, roundTrip: 160))
        }
        #expect(trial.isBulk)
    }

    @Test("Accounts that come one by one are measured as well")
    mutating func noBunches() {
        #expect(hears([40, 150, 40, 150, 40]))
        for _ in 0..<500 { trial.advance(with: acknowledgement(after: 5, left: 2, roundTrip: 165)) }
        #expect(!trial.isBulk)
    }

    @Test("A startup that ends for its round trips while it grows is followed by a trial")
    mutating func growing() {
        let sample = acknowledgement(after: 100, left: 40, roundTrip: 90)
        trial.startupEndedWhileGrowing(sample)
        let begins = trial.begin(at: paced, sample)
        #expect(begins && trial.isBulk)
    }

    @Test("After a loss it may be the link, and there is no trial")
    mutating func growingWithLoss() {
        var sample = acknowledgement(after: 100, left: 40, roundTrip: 90)
        sample.deliveredTotal -= 1
        trial.startupEndedWhileGrowing(sample)
        let begins = trial.begin(at: paced, sample)
        #expect(!begins && !trial.isBulk)
    }

    @Test("After a trial in vain the next comes after a second, and each further one later")
    mutating func inVain() {
        for pauseSeconds in [1, 2, 4, 8, 16, 32, 32] {
            #expect(hears([40, 150, 40, 150, 40]))
            goesOn([50, 50, 54, 54, 54])
            #expect(!trial.isBulk)
            // What drains is its own queue.
            let draining = Array(repeating: [150, 40], count: pauseSeconds * 5 - 1)
            #expect(!hears(draining.flatMap { $0 }))
            now += 200
        }
    }
}
