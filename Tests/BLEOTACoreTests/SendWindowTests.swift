import Testing

@testable import BLEOTACore

@Suite("SendWindow")
struct SendWindowTests {
    static func window(_ policy: WindowPolicy) -> SendWindow {
        SendWindow(policy, baseRoundTrip: BaseRoundTrip(), frameByteCount: 244)
    }

    @Test("Fixed N: N in flight, P for every half of it, and no clock")
    func fixed() {
        for chunkCount in [1, 2, 7, 512] {
            var window = Self.window(.fixed(chunkCount: chunkCount))
            #expect(window.room(at: 0) == chunkCount)
            let isOpen = window.canSend(inFlight: chunkCount + 3, at: .milliseconds(0))
            #expect(!isOpen)
            #expect(window.pollInterval(credit: .max) == max(chunkCount / 2, 1))
            #expect(window.pollInterval(credit: 4) == min(max(chunkCount / 2, 1), 2))
            #expect(window.pollInterval(credit: 0) == 1)
            #expect(window.isStopped(inFlight: chunkCount))
            #expect(!window.isStopped(inFlight: chunkCount - 1))
            #expect(!window.isTimed && window.deadline == nil)
            window.sent(at: .milliseconds(0))
            window.update(inFlight: 1, isRepairing: false, at: .milliseconds(0))
            #expect(window.room(at: 0) == chunkCount)
        }
    }

    @Test("Burst N by the clock: what is in flight does not matter")
    func timedBurst() {
        var window = Self.window(.burst(chunkCount: 2, pause: .time(.milliseconds(50))))
        #expect(window.isTimed && !window.isStopped(inFlight: 100))
        for _ in 0..<2 {
            let isOpen = window.canSend(inFlight: 100, at: .milliseconds(0))
            #expect(isOpen)
            window.sent(at: .milliseconds(0))
        }
        #expect(!window.wantsAcknowledgement(after: 2, credit: 0, inFlight: 100))
        let isOpen = window.canSend(inFlight: 0, at: .milliseconds(0))
        #expect(!isOpen)
        #expect(window.deadline == .milliseconds(50))
        window.timeout(inFlight: 2, at: .milliseconds(50))
        let isOpenAgain = window.canSend(inFlight: 2, at: .milliseconds(50))
        #expect(isOpenAgain)
        #expect(window.deadline == nil)
    }

    @Test("Auto begins with 9 chunks where nothing is known, and with P on the last")
    func automatic() {
        let window = Self.window(.automatic)
        #expect(window.room(at: 0) == 9)
        #expect(window.isStopped(inFlight: 9) && !window.isStopped(inFlight: 8))
        #expect(window.pollInterval(credit: .max) == 9)
        #expect(window.pollInterval(credit: 6) == 3)
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

extension SendWindow {
    /// How many chunks may be in flight.
    fileprivate func room(at milliseconds: Int) -> Int {
        var window = self
        var count = 0
        while window.canSend(inFlight: count, at: .milliseconds(milliseconds)) { count += 1 }
        return count
    }

    /// After how many chunks an ACK is wanted while there is room.
    fileprivate func pollInterval(credit: Int) -> Int {
        (1...).first { wantsAcknowledgement(after: $0, credit: credit, inFlight: 0) } ?? 0
    }
}
