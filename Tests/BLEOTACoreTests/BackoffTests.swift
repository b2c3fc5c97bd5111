import Testing

@testable import BLEOTACore

@Suite("Backoff")
struct BackoffTests {
    @Test("The pauses double up to the limit")
    func doubling() {
        var backoff = Backoff(
            from: .milliseconds(0),
            first: .milliseconds(640),
            max: .seconds(2)
        )
        backoff.expire(at: .milliseconds(639))
        var deadlines: [Int64] = []
        for _ in 0..<4 {
            deadlines.append(backoff.deadline.microseconds / 1_000)
            let wasPending = backoff.takePending()
            backoff.expire(at: backoff.deadline)
            let isPending = backoff.takePending()
            #expect(!wasPending && isPending)
        }
        #expect(deadlines == [640, 1_920, 3_920, 5_920])
    }

    @Test("A first pause above the limit is the limit")
    func firstAboveLimit() {
        let backoff = Backoff(from: .milliseconds(10), first: .seconds(9), max: .seconds(2))
        #expect(backoff.deadline == .milliseconds(2_010))
    }

    @Test("A deadline that was noticed late counts its pause from when it was")
    func late() {
        var backoff = Backoff(from: .milliseconds(0), first: .milliseconds(100), max: .seconds(2))
        backoff.expire(at: .milliseconds(500))
        #expect(backoff.deadline == .milliseconds(700))
    }
}
