import Testing

@testable import BLEOTACore

@Suite("ReceiverTimers")
struct ReceiverTimersTests {
    @Test("What does not run stays off, and what runs is due when its time has passed")
    func running() {
        var timers = ReceiverTimers()
        #expect(timers.least == ReceiverTimers.off)
        timers.pass(.max)
        #expect(timers.least == ReceiverTimers.off)
        timers[.session] = 1_000
        timers[.busy] = 300
        timers.pass(299)
        #expect(timers.least == 1 && timers[.busy] == 1 && timers[.session] == 701)
        timers.pass(1)
        timers.pass(1)
        #expect(timers.least == 0 && timers[.busy] == 0 && timers[.session] == 699)
        #expect(timers[.frame] == ReceiverTimers.off)
        timers.pass(.max)
        #expect(timers[.session] == 0)
    }

    @Test("The age of the newest data frame wakes nobody")
    func arrival() {
        var timers = ReceiverTimers()
        timers[.arrival] = ReceiverTimers.arrival
        #expect(timers.least == ReceiverTimers.off)
    }

    @Test("The delay is told in whole milliseconds, up to 255, and as 0 without a data frame")
    func delay() {
        var timers = ReceiverTimers()
        #expect(timers.delayMilliseconds == 0)
        timers[.arrival] = ReceiverTimers.arrival
        var reported: [UInt8] = []
        for span: UInt32 in [0, 999, 1, 253_999, 1, 1_000, .max] {
            timers.pass(span)
            reported.append(timers.delayMilliseconds)
        }
        #expect(reported == [0, 0, 1, 254, 255, 255, 255])
    }

    @Test("A limit has no sign, and 71 minutes at most")
    func span() {
        #expect(ReceiverTimers.span(.seconds(30)) == 30_000_000)
        #expect(ReceiverTimers.span(.seconds(-1)) == 0)
        #expect(ReceiverTimers.span(.seconds(86_400)) == UInt32.max - 1)
    }
}
