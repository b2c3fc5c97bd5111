import Testing

@testable import BLEOTACore

@Suite("AcknowledgementTimer")
struct AcknowledgementTimerTests {
    @Test("The first ACK of an epoch is due at once, with no delay to tell")
    func first() {
        var timer = AcknowledgementTimer(dueAt: .milliseconds(5))
        #expect(timer.isDue(at: .milliseconds(5)))
        let delay9 = timer.sent(at: .milliseconds(9))
        #expect(delay9 == 0)
        #expect(timer.deadline == .never && !timer.isDue(at: .milliseconds(10_000)))
    }

    //= ACK-5
    @Test("Data is acknowledged 250 ms after the first that is not, not after the last")
    func data() {
        var timer = AcknowledgementTimer(dueAt: .milliseconds(0))
        _ = timer.sent(at: .milliseconds(0))
        timer.dataArrived(at: .milliseconds(100))
        timer.dataArrived(at: .milliseconds(130))
        #expect(timer.deadline == .milliseconds(350))
        #expect(!timer.isDue(at: .milliseconds(349)))
        #expect(timer.isDue(at: .milliseconds(350)))
        let delay350 = timer.sent(at: .milliseconds(350))
        #expect(delay350 == 220)
    }

    @Test("A poll is answered at once and only once, and the answer says so")
    func poll() {
        var timer = AcknowledgementTimer(dueAt: .milliseconds(0))
        _ = timer.sent(at: .milliseconds(0))
        timer.pollArrived(at: .milliseconds(7))
        #expect(timer.answersPoll && timer.isDue(at: .milliseconds(7)))
        _ = timer.sent(at: .milliseconds(7))
        #expect(!timer.answersPoll && timer.deadline == .never)
    }

    @Test("A delay above 255 ms is told as 255")
    func delay() {
        var timer = AcknowledgementTimer(dueAt: .milliseconds(0))
        timer.dataArrived(at: .milliseconds(0))
        let delay254 = timer.sent(at: .milliseconds(254))
        #expect(delay254 == 254)
        let delay255 = timer.sent(at: .milliseconds(255))
        #expect(delay255 == 255)
        let delay9_999 = timer.sent(at: .milliseconds(9_999))
        #expect(delay9_999 == 255)
    }

    @Test("A new epoch has no data yet, so that its ACK tells no delay of the old one")
    func newEpoch() {
        var timer = AcknowledgementTimer(dueAt: .milliseconds(0))
        timer.dataArrived(at: .milliseconds(0))
        timer.epochBegan(at: .milliseconds(90))
        #expect(timer.isDue(at: .milliseconds(90)))
        let delay100 = timer.sent(at: .milliseconds(100))
        #expect(delay100 == 0)
    }
}
