import BLEOTACore
import Testing

@testable import BLEOTASimulation

/// Peers that send valid checksums over whatever they like. Nothing may trap, everything stays
/// bounded, and once they fall silent the machine ends with a reason.
@Suite struct HostilePeerTests {
    private static var caseCount: Int { max(SimulationRun.seedCount / 10, 20) }

    //= ACK-11
    //= CREDIT-1
    @Test("A sender outlives any account")
    func hostileReceiver() {
        for seed in 0..<UInt64(Self.caseCount) {
            SimulationRun.log("hostile receiver \(seed)")
            var random = SimulationRandom(seed: seed)
            var scenario = Scenario(seed: seed)
            scenario.window = random.element([
                .automatic, .fixed(chunkCount: 512), .fieldRule,
                .burst(chunkCount: 3, pause: .untilAcknowledged),
            ])
            scenario.claimsOrder = random.chance(0.5)
            scenario.ringChunkCount = 16 << random.int(0...10)
            scenario.frameByteCountMax = random.int(18...512)
            let transfer = InMemoryTransfer(
                image: random.bytes(random.logarithmic(1...100_000)),
                blockByteCount: 1_024
            )
            var now = Instant(microseconds: 0)
            let sender = SenderEnd(scenario, transfer, session: SessionNumber(77), at: now)
            var memory = AcknowledgementMemory()
            for _ in 0..<random.int(1...400) where sender.machine.outcome == nil {
                Self.drain(sender, at: now, &random)
                now = now + Microseconds(Int64(random.logarithmic(1...3_000_000)))
                if let deadline = sender.machine.nextDeadline, deadline <= now {
                    sender.machine.handleTimeout(at: now)
                }
                let frame = memory.frame(&random)
                sender.receive(
                    FrameBytes.of(frame, session: sender.machine.session),
                    at: now
                )
                #expect(sender.isIntact, "seed \(seed)")
            }
            // Now it is silent.
            var timeoutCount = 0
            while let deadline = sender.machine.nextDeadline, timeoutCount < 20_000 {
                Self.drain(sender, at: now, &random)
                now = max(now, deadline)
                sender.machine.handleTimeout(at: now)
                timeoutCount += 1
            }
            #expect(sender.machine.outcome != nil, "seed \(seed) in \(sender.machine.phase)")
            #expect(sender.machine.outcome != .verified, "seed \(seed)")
            #expect(sender.isIntact, "seed \(seed)")
        }
    }

    private static func drain(
        _ sender: SenderEnd,
        at now: Instant,
        _ random: inout SimulationRandom
    ) {
        var count = 0
        while let (output, _) = sender.next(at: now, isHealed: true, &random) {
            // An account may be late or contradict itself: then only the first objection can be
            // told apart from the peer's own lies, and the watch is not asked.
            #expect(output.datagram.count <= 512)
            count += 1
            if count > 20_000 {
                Issue.record("a sender that sends without end")
                return
            }
        }
    }

    /// Draws accounts that hang together now and then, so that they get past the first checks.
    private struct AcknowledgementMemory {
        private var epoch: UInt8 = 0
        private var object = ObjectID.manifest
        private var cumulative: UInt16 = 0

        mutating func frame(_ random: inout SimulationRandom) -> ReceiverControl {
            switch random.int(0...19) {
            case 0:
                return .result(
                    .init(
                        reason: random.element([.noSession, .noSession, .busy, .verified]),
                        detail: random.next()
                    )
                )
            case 1:
                return .busy(
                    .init(
                        phase: .writing,
                        object: object,
                        epoch: Epoch(epoch),
                        millisecondsLeft: .max
                    )
                )
            case 2:
                return .echoReply(
                    .init(
                        token: UInt16(random.element([16, 20, 60, 180, 244, 492, 77])),
                        byteCount: UInt16(random.element([16, 20, 180, 244, 492, 512]))
                    )
                )
            case 3: return .request(.init(session: SessionNumber(9), nameTag: .init(rawValue: 1)))
            default: return .acknowledgement(acknowledgement(&random))
            }
        }

        private mutating func acknowledgement(_ random: inout SimulationRandom) -> Acknowledgement {
            if random.chance(0.1) {
                epoch &+= UInt8(random.element([1, 2, 100, 127, 128, 200, 255]))
                if random.chance(0.5) { object = random.chance(0.5) ? .manifest : .image }
                cumulative = 0
            }
            if random.chance(0.5) { cumulative &+= UInt16(random.int(0...5)) }
            let sent = random.chance(0.05) ? UInt16(truncatingIfNeeded: random.next()) : cumulative
            let credit: Credit = random.element([
                .chunks(0), .chunks(1), .chunks(UInt16(random.int(0...50))), .chunks(16_383),
                .unlimited,
            ])
            var bitmap = ReceivedBitmap()
            if random.chance(0.3) {
                let count = random.element([1, 2, 8, 64, 512])
                for bit in 0..<count where random.chance(0.5) { bitmap[bit] = true }
            }
            let durable = random.chance(0.05) ? UInt32(truncatingIfNeeded: random.next()) : 0
            return Acknowledgement(
                answersPoll: random.chance(0.5),
                object: object,
                epoch: Epoch(epoch),
                truncatedCumulative: sent,
                credit: credit,
                durableByteCount: durable,
                delayMilliseconds: UInt8(random.element([0, 1, 254, 255])),
                bitmap: bitmap
            )
        }
    }

    //= OBJ-7
    //= DATA-3
    //= DATA-4
    //= CREDIT-3
    @Test("A receiver outlives any sender")
    func hostileSender() {
        for seed in 0..<UInt64(Self.caseCount) {
            SimulationRun.log("hostile sender \(seed)")
            HostileSender(seed: seed).run()
        }
    }
}
