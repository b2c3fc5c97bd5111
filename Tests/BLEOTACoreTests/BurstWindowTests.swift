import Testing

@testable import BLEOTACore

@Suite("BurstWindow")
struct BurstWindowTests {
    //= WINDOW-4
    @Test("A timed burst: N chunks, then nothing until the clock says so, acknowledged or not")
    func timed() {
        var burst = BurstWindow(chunkCount: 3, pause: .time(.milliseconds(100)))
        #expect(burst.isTimed && burst.pollInterval == .max)
        for left in [2, 1, 0] {
            burst.asked(at: .milliseconds(10))
            #expect(burst.resumesAt == nil)
            burst.chunkSent()
            #expect(burst.allowance == left)
        }
        burst.asked(at: .milliseconds(10))
        #expect(burst.resumesAt == .milliseconds(110))
        burst.update(inFlight: 0, at: .milliseconds(109))
        #expect(burst.allowance == 0)
        burst.update(inFlight: 3, at: .milliseconds(110))
        #expect(burst.allowance == 3)
        #expect(burst.resumesAt == nil)
    }

    @Test("A timed pause begins when more is asked for, and goes on if it is asked for again")
    func pauseBegins() {
        var burst = BurstWindow(chunkCount: 1, pause: .time(.milliseconds(100)))
        burst.chunkSent()
        burst.update(inFlight: 1, at: .milliseconds(500))
        #expect(burst.allowance == 0 && burst.resumesAt == nil)
        burst.asked(at: .milliseconds(30))
        burst.asked(at: .milliseconds(40))
        #expect(burst.resumesAt == .milliseconds(130))
        // A chunk that goes out in the pause begins it anew.
        burst.chunkSent()
        burst.asked(at: .milliseconds(60))
        #expect(burst.resumesAt == .milliseconds(160))
    }

    @Test("An acknowledged burst: N chunks, then nothing until none is in flight")
    func acknowledged() {
        var burst = BurstWindow(chunkCount: 2, pause: .untilAcknowledged)
        #expect(!burst.isTimed && burst.pollInterval == 2)
        burst.chunkSent()
        burst.update(inFlight: 0, at: .milliseconds(1))
        #expect(burst.allowance == 1)
        burst.chunkSent()
        burst.update(inFlight: 1, at: .milliseconds(1_000_000))
        #expect(burst.allowance == 0 && burst.resumesAt == nil)
        burst.update(inFlight: 0, at: .milliseconds(1_000_001))
        #expect(burst.allowance == 2)
    }

    @Test("A probe beyond a full burst keeps it full")
    func beyondFull() {
        var burst = BurstWindow(chunkCount: 1, pause: .untilAcknowledged)
        burst.chunkSent()
        burst.chunkSent()
        #expect(burst.allowance == 0)
    }
}
