import Testing

@testable import BLEOTACore

@Suite("ReceiverTimer")
struct ReceiverTimerTests {
    //= END-7
    @Test("BUSY after 100 ms, then every second, and at once when asked")
    func rhythm() {
        var timer = ReceiverTimer.busy(from: .milliseconds(0))
        let said = [99, 100, 1_099, 1_100, 1_101].map { timer.takeDue(at: .milliseconds($0)) }
        #expect(said == [false, true, false, true, false])
        timer.ask(at: .milliseconds(1_200))
        let saidAsked = timer.takeDue(at: .milliseconds(1_200))
        #expect(saidAsked)
        #expect(timer.deadline == .milliseconds(2_200))
    }

    @Test("Asking never puts an earlier BUSY off")
    func askingLate() {
        var timer = ReceiverTimer.busy(from: .milliseconds(0))
        timer.ask(at: .milliseconds(500))
        #expect(timer.deadline == .milliseconds(100))
    }
}
