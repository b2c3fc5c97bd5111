import Testing

@testable import BLEOTACore

/// A sender that may send nothing more before an ACK has asked for one.
@Suite("Sender that has to stop")
struct SenderStopTests {
    /// What is on its way to a receiver that acknowledges only what asks for it.
    private struct Line {
        private var state: UInt64
        private var due: [(at: Instant, cumulative: UInt32)] = []
        private var freeAt = Instant(microseconds: 0)
        private var arrived: UInt32 = 0
        init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

        /// A time that changes by much, as on a machine with other work.
        private mutating func microseconds() -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let most = state >> 60 == 0 ? 20_000 : 400
            return 20 + Int(state >> 33) % most
        }

        mutating func record(_ transmissions: [SenderTransmission], at now: Instant) {
            for transmission in transmissions {
                freeAt = max(freeAt, now) + Microseconds(Int64(microseconds()))
                if case .data(let chunk) = transmission {
                    arrived = max(arrived, chunk.index + 1)
                    if !chunk.isPoll { continue }
                }
                due.append((freeAt + Microseconds(Int64(microseconds())), arrived))
            }
        }

        var nextAt: Instant? { due.first?.at }

        mutating func next() -> UInt32 { due.removeFirst().cumulative }
    }

    //= WINDOW-2
    /// A second implementation, which acknowledges late what nobody asks for, saw transfers stand
    /// still for that long.
    @Test("It has asked, also where an ACK made its window smaller", arguments: 0..<200)
    func asked(number: Int) {
        let seed = UInt64(number)
        let talk = SenderConversation.streaming(
            CoreSample.acknowledgement(0, credit: .chunks(16_000)),
            window: .automatic,
            image: 480_000
        )
        var line = Line(seed: seed)
        while case .streaming = talk.sender.phase {
            line.record(talk.drain(), at: talk.now)
            let deadline = talk.sender.nextDeadline ?? .never
            let isPaced = deadline - talk.now < .milliseconds(40)
            guard line.nextAt != nil || isPaced else {
                Issue.record("seed \(seed): nothing comes, and nothing was asked for")
                return
            }
            guard let answered = line.nextAt, answered <= deadline else {
                talk.passDeadline()
                continue
            }
            talk.pass(to: answered)
            let acknowledgement = CoreSample.acknowledgement(
                line.next(),
                credit: .chunks(16_000),
                answersPoll: true
            )
            talk.hear(acknowledgement)
        }
    }
}
