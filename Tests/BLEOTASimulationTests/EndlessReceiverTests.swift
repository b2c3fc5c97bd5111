import BLEOTACore
import Testing

@testable import BLEOTASimulation

/// Peers that answer for ever and get nowhere.
@Suite struct EndlessReceiverTests {
    private static let windows: [WindowPolicy] = [
        .automatic, .fixed(chunkCount: 8), .burst(chunkCount: 1, pause: .time(.milliseconds(400))),
    ]

    /// A receiver whose accounts alternated between both objects once kept a sender for ever.
    //= TIME-2
    //= TIME-6
    @Test(
        "A sender ends as stalled, within its limits, whatever answers it and how often",
        arguments: EndlessReceiver.Kind.allCases,
        [50, 9_000]
    )
    func senderEnds(kind: EndlessReceiver.Kind, pauseMilliseconds: Int) {
        for window in Self.windows {
            let (outcome, end, hasLongerLimit) = Self.end(
                of: kind,
                window,
                each: .milliseconds(pauseMilliseconds)
            )
            #expect(outcome == .aborted(.stalled), "\(window)")
            // The first answers are news.
            let limit: Microseconds = hasLongerLimit ? .seconds(600) : .seconds(60)
            let first = Microseconds.milliseconds(21 * pauseMilliseconds) + .seconds(1)
            #expect(end <= Instant(microseconds: 0) + limit + first, "\(window)")
        }
    }

    /// Lets a sender talk with such a peer, which answers at once and also speaks by itself, each
    /// time after a pause.
    private static func end(
        of kind: EndlessReceiver.Kind,
        _ window: WindowPolicy,
        each pause: Microseconds
    ) -> (outcome: SenderOutcome?, at: Instant, hasLongerLimit: Bool) {
        var random = SimulationRandom(seed: 1)
        var scenario = Scenario(seed: 1)
        scenario.window = window
        let transfer = InMemoryTransfer(image: random.bytes(100_000), blockByteCount: 1_024)
        var now = Instant(microseconds: 0)
        let sender = SenderEnd(scenario, transfer, session: SessionNumber(77), at: now)
        var peer = EndlessReceiver(kind)
        var speaksAt = now + pause
        while sender.machine.outcome == nil, now < Instant(microseconds: 1_000_000_000) {
            var answers: [ReceiverControl] = []
            while let (_, transmission) = sender.next(at: now, isHealed: true, &random) {
                if case .data = transmission { continue }
                answers += peer.frames(after: transmission)
            }
            if now >= speaksAt {
                answers += peer.frames(after: nil)
                speaksAt = now + pause
            }
            for frame in answers {
                let session = sender.machine.session
                sender.receive(FrameBytes.of(frame, session: session), at: now)
            }
            // Its answers take a millisecond.
            let deadline = sender.machine.nextDeadline ?? now
            now = max(
                now + .milliseconds(1),
                min(deadline, answers.isEmpty ? speaksAt : now + .milliseconds(1))
            )
            sender.machine.handleTimeout(at: now)
        }
        return (sender.machine.outcome, now, peer.hasLongerLimit)
    }
}
