import Testing

@testable import BLEOTACore

@Suite("SendWindow")
struct SendWindowTests {
    private static func window(_ policy: WindowPolicy) -> SendWindow {
        SendWindow(policy, baseRoundTrip: BaseRoundTrip(), frameByteCount: 244)
    }

    @Test("Fixed N: N in flight, P for every half of it, and no clock")
    func fixed() {
        for chunkCount in [1, 2, 7, 512] {
            var window = Self.window(.fixed(chunkCount: chunkCount))
            #expect(window.allowance(inFlight: 0) == chunkCount)
            #expect(window.allowance(inFlight: chunkCount) == 0)
            #expect(window.allowance(inFlight: chunkCount + 3) == 0)
            #expect(window.pollInterval(withCredit: .max) == max(chunkCount / 2, 1))
            #expect(window.pollInterval(withCredit: 4) == min(max(chunkCount / 2, 1), 2))
            #expect(window.pollInterval(withCredit: 0) == 1)
            #expect(!window.isTimed && window.deadline == nil)
            window.chunkSent(at: .milliseconds(0))
            window.update(inFlight: 1, at: .milliseconds(0))
            #expect(window.allowance(inFlight: 0) == chunkCount)
        }
    }

    @Test("Burst N by the clock: what is in flight does not matter")
    func timedBurst() {
        var window = Self.window(.burst(chunkCount: 2, pause: .time(.milliseconds(50))))
        #expect(window.isTimed && window.allowance(inFlight: 100) == 2)
        window.chunkSent(at: .milliseconds(0))
        window.chunkSent(at: .milliseconds(0))
        #expect(window.allowance(inFlight: 0) == 0)
        window.asked(at: .milliseconds(0))
        #expect(window.deadline == .milliseconds(50))
        window.update(inFlight: 2, at: .milliseconds(50))
        #expect(window.allowance(inFlight: 2) == 2)
        #expect(window.deadline == nil)
    }

    @Test("Auto begins with 9 chunks where nothing is known, and with P on the last")
    func automatic() {
        let window = Self.window(.automatic)
        #expect(window.allowance(inFlight: 0) == 9 && !window.isFull(inFlight: 8))
        #expect(window.allowance(inFlight: 9) == 0 && window.isFull(inFlight: 9))
        #expect(window.pollInterval(withCredit: .max) == 9)
        #expect(window.pollInterval(withCredit: 6) == 3)
        #expect(!window.isTimed && window.deadline == nil)
    }

    @Test("Policies with numbers out of their ranges are not valid")
    func ranges() {
        let valid: [WindowPolicy] = [
            .automatic, .fixed(chunkCount: 1), .fixed(chunkCount: 512), .fieldRule,
            .burst(chunkCount: 1, pause: .untilAcknowledged),
            .burst(chunkCount: 512, pause: .time(.seconds(10))),
            .burst(chunkCount: 5, pause: .time(.zero)),
        ]
        for policy in valid { #expect(policy.isValid) }
        let invalid: [WindowPolicy] = [
            .fixed(chunkCount: 0), .fixed(chunkCount: 513),
            .burst(chunkCount: 0, pause: .untilAcknowledged),
            .burst(chunkCount: 513, pause: .untilAcknowledged),
            .burst(chunkCount: 5, pause: .time(.milliseconds(-1))),
            .burst(chunkCount: 5, pause: .time(.milliseconds(10_001))),
        ]
        for policy in invalid { #expect(!policy.isValid) }
        #expect(
            WindowPolicy.fieldRule == .burst(chunkCount: 12, pause: .time(.milliseconds(100)))
        )
    }
}
