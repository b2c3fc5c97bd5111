import BLEOTACore
import BLEOTATestSupport
import Testing

@testable import BLEOTACore

/// A flight table, and beside it the same thing said with a dictionary.
private final class FlightModel {
    enum Status { case inFlight, arrived, lost }
    struct Chunk {
        var status: Status
        var transmission: Int
        var isRepeated = false
        var transmissionBeforeProbes = 0
        var isPoll = false
        var isLate = false
        var isProbed = false
        var hasLeftLink = false
        var sentAt = 0
    }

    let chunkCount: UInt32
    let capacity: Int
    private(set) var problem: String?
    private var real: InFlightTable
    private let ring: UnsafeMutableBufferPointer<SentChunk>
    private(set) var chunks: [UInt32: Chunk] = [:]
    private(set) var cumulative: UInt32
    private var transmissionNext = 0
    private var silentUntil = 0
    private var arrivedTransmissions: [Int] = []
    private var deliveredCount = 0

    init(chunkCount: UInt32, cumulative: UInt32, capacity: Int) {
        self.chunkCount = chunkCount
        self.capacity = capacity
        self.cumulative = cumulative
        ring = .allocate(capacity: capacity)
        ring.initialize(repeating: SentChunk())
        real = InFlightTable(
            in: ring,
            chunkCount: chunkCount,
            cumulative: cumulative
        )
    }

    deinit { ring.deallocate() }

    func indices(_ status: Status) -> [UInt32] {
        chunks.filter { $0.value.status == status }.keys.sorted()
    }

    func leftTotal(keepsOrder: Bool) -> UInt32 { real.leftTotal(keepsOrder: keepsOrder) }

    func firstUnsent(below edge: UInt32) -> UInt32? {
        (cumulative..<max(cumulative, min(edge, chunkCount, cumulative + UInt32(capacity))))
            .first { chunks[$0] == nil }
    }

    func send(_ index: UInt32, isPoll: Bool = false) {
        var chunk = chunks[index] ?? Chunk(status: .inFlight, transmission: 0)
        chunk.isRepeated = chunks[index] != nil
        chunk.status = .inFlight
        if !chunk.isLate {
            chunk.transmissionBeforeProbes = transmissionNext
            chunk.isPoll = isPoll
        }
        if !chunk.isProbed { chunk.transmission = transmissionNext }
        chunk.hasLeftLink = false
        chunk.sentAt = transmissionNext + 1
        chunk.isProbed = chunk.isLate
        chunks[index] = chunk
        transmissionNext += 1
        real.sent(index, at: .milliseconds(transmissionNext))
        if isPoll { real.asked(with: index) }
        compare("send \(index)")
    }

    func arrive(cumulative newCumulative: UInt32, shown: Set<Int>, answersPoll: Bool = false) {
        var count = 0
        var newest: Chunk?
        var sent: [Chunk] = []
        let limit = cumulative + UInt32(capacity)
        var news = Array(cumulative..<max(cumulative, min(newCumulative, limit)))
        cumulative = max(cumulative, newCumulative)
        news += shown.map { newCumulative + 1 + UInt32($0) }
            .filter { $0 >= cumulative && $0 < cumulative + UInt32(capacity) }
        for index in news where chunks[index]?.status != .arrived {
            count += 1
            if let chunk = chunks[index] {
                sent.append(chunk)
                if chunk.status == .inFlight, chunk.transmission >= newest?.transmission ?? 0 {
                    newest = chunk
                }
            }
            chunks[index] = Chunk(status: .arrived, transmission: 0)
        }
        for index in chunks.keys where index < cumulative { chunks[index] = nil }
        let update = real.arrived(
            cumulative: newCumulative,
            bitmap: CoreSample.bitmap(Array(shown)),
            answersPoll: answersPoll
        )
        deliveredCount += sent.count
        let isOfProbes = answersPoll && !sent.contains(where: \.isPoll)
        arrivedTransmissions += sent.map {
            isOfProbes ? $0.transmission : $0.transmissionBeforeProbes
        }
        check(
            Int(update.newlyArrived) == count,
            "newly arrived \(update.newlyArrived), not \(count)"
        )
        check(update.newest?.isRepeated == newest?.isRepeated, "newest is repeated")
        check(update.newest.map { Int($0.transmission) } == newest?.transmission, "newest")
        check(Int(real.deliveredCount) == deliveredCount, "delivered")
        compare("arrive \(newCumulative) \(shown)")
    }

    func overtake(by rule: LossRule, below reportedEnd: UInt32 = .max) {
        var count = 0
        for index in indices(.inFlight) {
            let later = arrivedTransmissions.filter { $0 > chunks[index]!.transmission }
            let reach = chunks[index]!.sentAt < silentUntil ? 0 : Int(rule.reach)
            guard later.count >= rule.threshold,
                later.max()! - chunks[index]!.transmission >= reach
            else { continue }
            if chunks[index]!.sentAt < silentUntil { chunks[index]!.hasLeftLink = true }
            if index < reportedEnd || index == cumulative {
                chunks[index]!.status = .lost
                chunks[index]!.isLate = false
                chunks[index]!.isProbed = false
                count += 1
            }
        }
        let real = real.detectLosses(by: rule, below: reportedEnd)
        check(real == count, "overtaken \(real), not \(count)")
        compare("overtake")
    }

    func silence() {
        silentUntil = transmissionNext + 1
        real.linkWasSilent(until: .milliseconds(silentUntil))
    }

    func giveUpOldest() {
        guard let oldest = indices(.inFlight).first else { return }
        chunks[oldest]!.status = .lost
        chunks[oldest]!.isLate = true
        real.markLate(oldest)
        compare("give up \(oldest)")
    }

    private func compare(_ what: String) {
        check(real.cumulative == cumulative, "\(what): cumulative")
        check(real.inFlightCount == indices(.inFlight).count, "\(what): in flight")
        let left = chunks.values.filter { $0.status == .inFlight && $0.hasLeftLink }
        check(
            real.onLinkCount == indices(.inFlight).count - left.count,
            "\(what): on the link"
        )
        check(real.lostCount == indices(.lost).count, "\(what): lost")
        check(real.oldestInFlight == indices(.inFlight).first, "\(what): oldest")
        check(real.isComplete == (cumulative == chunkCount), "\(what): complete")
        if let lost = indices(.lost).first { check(real.firstLost == lost, "\(what): first lost") }
        for edge in [cumulative, cumulative + 2, cumulative + 9, chunkCount] {
            let unsent = firstUnsent(below: edge)
            check(real.firstUnsent(below: edge) == unsent, "\(what): first unsent below \(edge)")
        }
    }

    private func check(_ isTrue: Bool, _ what: @autoclosure () -> String) {
        if !isTrue, problem == nil { problem = what() }
    }
}

@Suite("InFlightTable")
struct FlightTableTests {
    private static let rules = [
        LossRule.ordered, LossRule(threshold: 3, reach: 0), LossRule(threshold: 3, reach: 9),
    ]

    //= REPAIR-1
    @Test("Random sends, accounts and losses agree with a dictionary")
    func againstTheModel() {
        for seed in TestSeed.rounds(100) {
            var random = TestSeed(seed)
            let chunkCount = UInt32(random.below(200) + 1)
            let model = FlightModel(
                chunkCount: chunkCount,
                cumulative: random.chance(50) ? 0 : UInt32(random.below(Int(chunkCount))),
                capacity: 16 << random.below(3)
            )
            let rule = Self.rules[random.below(Self.rules.count)]
            for _ in 0..<300 where model.problem == nil {
                Self.step(model, rule, &random)
            }
            if let problem = model.problem {
                Issue.record("\(problem), seed 0x\(String(seed, radix: 16))")
                return
            }
        }
    }

    private static func step(
        _ model: FlightModel,
        _ rule: LossRule,
        _ random: inout TestSeed
    ) {
        switch random.below(10) {
        case 0..<6:
            let edge = model.cumulative + UInt32(random.below(40))
            if let lost = model.indices(.lost).first {
                model.send(lost, isPoll: random.chance(40))
            } else if let index = model.firstUnsent(below: edge) {
                model.send(index, isPoll: random.chance(20))
            }
        case 6, 7:
            // Sometimes an old account, sometimes one of what was held from before.
            let step = random.chance(80) ? random.below(4) : random.below(60) - 5
            let cumulative = Int(model.cumulative) + step
            let clamped = UInt32(min(max(cumulative, 0), Int(model.chunkCount)))
            let left = Int(model.chunkCount) - Int(clamped) - 1
            let shown =
                left > 0 ? (0..<random.below(6)).map { _ in random.below(min(left, 40)) } : []
            model.arrive(
                cumulative: clamped,
                shown: Set(shown),
                answersPoll: random.chance(50)
            )
        case 8:
            let reportedEnd = model.cumulative + UInt32(random.below(20))
            model.overtake(by: rule, below: random.chance(50) ? reportedEnd : .max)
        default:
            if random.chance(30) { model.giveUpOldest() }
            if random.chance(30) { model.silence() }
        }
    }

    @Test("Every sequence of five steps over three chunks agrees with a dictionary")
    func smallScope() {
        var path: [Int] = []
        enumerate(&path)
    }

    private func enumerate(_ path: inout [Int]) {
        if path.count == 5 {
            for rule in Self.rules {
                let model = FlightModel(chunkCount: 3, cumulative: 0, capacity: 16)
                for step in path { apply(step, to: model, rule) }
                if let problem = model.problem { Issue.record("\(path): \(problem)") }
            }
            return
        }
        for step in 0..<7 {
            path.append(step)
            enumerate(&path)
            path.removeLast()
        }
    }

    private func apply(_ step: Int, to model: FlightModel, _ rule: LossRule) {
        switch step {
        case 0:
            if let index = model.indices(.lost).first ?? model.firstUnsent(below: 3) {
                model.send(index)
            }
        case 1: model.arrive(cumulative: min(model.cumulative + 1, 3), shown: [])
        case 2: if model.cumulative < 2 { model.arrive(cumulative: model.cumulative, shown: [0]) }
        case 3: if model.cumulative == 0 { model.arrive(cumulative: 0, shown: [1]) }
        case 4: model.overtake(by: rule)
        case 5: model.arrive(cumulative: model.cumulative, shown: [1], answersPoll: true)
        default: model.giveUpOldest()
        }
    }

    @Test("Where order is not kept, one later chunk that arrived is not enough, three are")
    func threshold() {
        let model = FlightModel(chunkCount: 10, cumulative: 0, capacity: 16)
        for index: UInt32 in 0..<6 { model.send(index) }
        model.arrive(cumulative: 0, shown: [4])
        model.overtake(by: LossRule(threshold: 3, reach: 0))
        #expect(model.indices(.lost).isEmpty)
        model.arrive(cumulative: 0, shown: [2, 3, 4])
        model.overtake(by: LossRule(threshold: 3, reach: 0))
        #expect(model.indices(.lost) == [0, 1, 2])
        #expect(model.problem == nil)
    }

    //= REPAIR-8
    @Test("Where order is not kept, a chunk is not lost before others are far ahead of it")
    func reach() {
        let model = FlightModel(chunkCount: 40, cumulative: 0, capacity: 64)
        for index: UInt32 in 0..<20 { model.send(index) }
        let rule = LossRule(threshold: 3, reach: 12)
        model.arrive(cumulative: 0, shown: Set(0..<11))
        model.overtake(by: rule)
        #expect(model.indices(.lost).isEmpty)
        model.arrive(cumulative: 0, shown: [11])
        model.overtake(by: rule)
        #expect(model.indices(.lost) == [0])
        #expect(model.problem == nil)
    }

    //= REPAIR-8
    @Test("The reach is three windows, within half of credit and bitmap, and none in bursts")
    func reachOfWindows() {
        let fixed = SendWindowTests.window(.fixed(chunkCount: 12))
        #expect(fixed.unorderedRule(withCredit: 1_000, shownCount: 512).reach == 36)
        #expect(fixed.unorderedRule(withCredit: 17, shownCount: 512).reach == 8)
        #expect(fixed.unorderedRule(withCredit: 1_000, shownCount: 40).reach == 20)
        let burst = SendWindowTests.window(
            .burst(chunkCount: 12, pause: .untilAcknowledged)
        )
        #expect(burst.unorderedRule(withCredit: 1_000, shownCount: 512).reach == 0)
    }

    //= REPAIR-1
    //= REPAIR-9
    @Test("Three probes in one answer tell of what was sent before them, once each")
    func threeProbes() {
        for count in 2...3 as ClosedRange<UInt32> {
            let model = FlightModel(chunkCount: 10, cumulative: 0, capacity: 16)
            for index: UInt32 in 0..<6 { model.send(index) }
            for _ in 0..<count { model.giveUpOldest() }
            for index in 0..<count { model.send(index, isPoll: true) }
            model.arrive(cumulative: count, shown: [], answersPoll: true)
            model.overtake(by: LossRule(threshold: 3, reach: 0))
            #expect(model.indices(.lost) == (count == 3 ? [3, 4, 5] : []))
            #expect(model.problem == nil)
        }
    }

    /// Chunks that waited were once all sent twice when the ACK of one came late.
    //= REPAIR-1
    //= REPAIR-9
    @Test("A probe overtakes nothing where what was sent before it may have arrived")
    func lateOriginal() {
        for answersPoll in [false, true] {
            let model = FlightModel(chunkCount: 10, cumulative: 0, capacity: 16)
            for index: UInt32 in 0..<4 { model.send(index, isPoll: index == 1) }
            model.giveUpOldest()
            model.send(0, isPoll: true)
            // What 1 asked for comes late.
            model.arrive(cumulative: answersPoll ? 2 : 1, shown: [], answersPoll: answersPoll)
            model.overtake(by: .ordered)
            #expect(model.indices(.lost).isEmpty)
            #expect(model.problem == nil)
        }
    }

    //= REPAIR-1
    //= REPAIR-9
    @Test("A probe that asked for the ACK overtakes what was sent before it")
    func probe() {
        let model = FlightModel(chunkCount: 10, cumulative: 0, capacity: 16)
        for index: UInt32 in 0..<4 { model.send(index, isPoll: index == 3) }
        model.giveUpOldest()
        model.send(0, isPoll: true)
        model.send(4)
        model.arrive(cumulative: 1, shown: [], answersPoll: true)
        model.overtake(by: .ordered)
        // 4 was sent after it.
        #expect(model.indices(.lost) == [1, 2, 3] && model.indices(.inFlight) == [4])
        #expect(model.problem == nil)
    }

    //= REPAIR-1
    @Test("What was sent before a probe overtakes as ever")
    func originalOvertakes() {
        let model = FlightModel(chunkCount: 3, cumulative: 0, capacity: 16)
        for index: UInt32 in 0..<3 { model.send(index, isPoll: index == 2) }
        model.arrive(cumulative: 1, shown: [])
        model.overtake(by: .ordered)
        model.giveUpOldest()
        model.send(1, isPoll: true)
        // Only the original of 2 can be meant, and the probe of 1 is still on its way.
        model.arrive(cumulative: 1, shown: [0], answersPoll: true)
        model.overtake(by: .ordered)
        #expect(model.indices(.lost).isEmpty && model.indices(.inFlight) == [1])
        #expect(model.problem == nil)
    }

    /// With a count that fell, the policy *auto* once saw 2^32 chunks leave the link at once.
    @Test("The count of what has left the link never falls, also when losses count no more")
    func leftTotal() {
        let model = FlightModel(chunkCount: 10, cumulative: 0, capacity: 16)
        for index: UInt32 in 0..<6 { model.send(index) }
        model.arrive(cumulative: 0, shown: [3])
        model.overtake(by: .ordered)
        #expect(model.indices(.lost) == [0, 1, 2, 3])
        #expect(model.leftTotal(keepsOrder: true) == 5)
        // 0 comes after all: the link does not keep order.
        model.arrive(cumulative: 1, shown: [])
        #expect(model.leftTotal(keepsOrder: false) == 6)
        model.overtake(by: LossRule(threshold: 3, reach: 0))
        model.arrive(cumulative: 3, shown: [])
        #expect(model.leftTotal(keepsOrder: false) == 8)
        #expect(model.problem == nil)
    }
}
