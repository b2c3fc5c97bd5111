import Testing

@testable import BLEOTATool

@Suite("How many lines of a log peers may cause")
struct LogAllowanceTests {
    private let start = ContinuousClock.now

    @Test("After a burst there are two lines a second; what is left out is counted once")
    func burst() {
        var allowance = LogAllowance(now: start)
        let lines = (0..<150).count { _ in allowance.take(now: start) }
        #expect(lines == LogAllowance.lineCountMax)
        let counts = (0..<2).map { _ in allowance.takeLeftOutCount() }
        #expect(counts == [50, 0])
        let early = allowance.take(now: start + .milliseconds(999))
        #expect(!early)
        // Ten times a second, for ten seconds.
        let later = (10..<110).count { allowance.take(now: start + .milliseconds(100 * $0)) }
        #expect(later == 20)
        let leftOutCount = allowance.takeLeftOutCount()
        #expect(leftOutCount == 81)
    }

    @Test("A pause brings the burst back, and never more")
    func pause() {
        var allowance = LogAllowance(now: start)
        while allowance.take(now: start) {}
        for pause in [Duration.seconds(50), .seconds(1 << 40)] {
            let now = start + pause
            let lines = (0..<150).count { _ in allowance.take(now: now) }
            #expect(lines == LogAllowance.lineCountMax)
        }
    }
}
