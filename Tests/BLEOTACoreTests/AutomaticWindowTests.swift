import Testing

@testable import BLEOTACore

@Suite("AutomaticWindow")
struct AutomaticWindowTests {
    private static func idle(_ milliseconds: Int, isConfirmed: Bool) -> BaseRoundTrip {
        var idle = BaseRoundTrip()
        idle.opened(after: .milliseconds(milliseconds))
        if isConfirmed { idle.chunkAnswered(after: .milliseconds(milliseconds)) }
        return idle
    }

    @Test("It begins with what 1M carries in half an idle round trip, 2 to 64 chunks")
    func first() {
        // 244 bytes take 460 + 8 · 251 = 2,468 µs: 12 of them 30 ms.
        let window = AutomaticWindow(
            baseRoundTrip: Self.idle(60, isConfirmed: true),
            frameByteCount: 244
        )
        #expect(window.chunkCount == 12 && window.pollInterval == 6)
        #expect(!window.isPaced && window.opensAt == nil)
        for (milliseconds, byteCount, expected) in [(1, 244, 2), (2_000, 20, 64), (15, 512, 2)] {
            let window = AutomaticWindow(
                baseRoundTrip: Self.idle(milliseconds, isConfirmed: true),
                frameByteCount: byteCount
            )
            #expect(window.chunkCount == expected)
        }
    }

    @Test("Until the idle round trip is sure, only the end of the first window asks for an ACK")
    func firstPoll() {
        let window = AutomaticWindow(
            baseRoundTrip: Self.idle(60, isConfirmed: false),
            frameByteCount: 244
        )
        #expect(window.pollInterval == window.chunkCount)
    }

    @Test(
        "It fills every link, with little more than two events' worth in the queue, and few ACKs",
        arguments: [
            (7_500, 5), (15_000, 6), (15_000, 20), (30_000, 12), (50_000, 24), (50_000, 60),
            (100_000, 40),
        ]
    )
    func fillsTheLink(interval: Int, perEvent: Int) {
        let link = EventLink(interval: Microseconds(Int64(interval)), perEvent: perEvent)
        link.run(.seconds(2))
        link.resetQueueMax()
        let answersBefore = link.answerCount
        let delivered = link.run(.seconds(10))
        let most = 10_000_000 / interval * perEvent
        #expect(delivered * 100 >= most * 98, "\(delivered) of \(most)")
        #expect(
            link.queueMax * 10 <= 22 * perEvent + 20,
            "\(link.queueMax) of \(perEvent) an event"
        )
        #expect(link.answerCount - answersBefore <= 130)
        #expect(link.window.isPaced)
    }

    @Test("Startup fills a link within two seconds", arguments: [7_500, 15_000, 30_000, 50_000])
    func startsFast(interval: Int) {
        // 600 chunks of 244 bytes a second are what 2M carries.
        let link = EventLink(
            interval: Microseconds(Int64(interval)),
            perEvent: interval * 6 / 10_000
        )
        link.run(.seconds(1))
        let most = 1_000_000 / interval * (interval * 6 / 10_000)
        #expect(link.run(.seconds(1)) * 100 >= most * 90)
    }

    @Test("Rounds in which credit or the object's end held the sender back do not end startup")
    func limited() {
        let link = EventLink(interval: .milliseconds(30), perEvent: 12)
        link.run(.seconds(5), isLimited: true)
        #expect(!link.window.isPaced)
    }

    @Test("It never passes 512, nor paces a link that is no Bluetooth LE, nor traps on its rate")
    func bounds() {
        var window = AutomaticWindow(baseRoundTrip: BaseRoundTrip(), frameByteCount: 244)
        for round in 1...2_000 as ClosedRange<UInt32> {
            window.acknowledged(
                RateSample(
                    now: .milliseconds(Int(round)),
                    deliveredTotal: round * 16_384,
                    leftTotal: round * 16_384,
                    deliveredWhenSent: (round - 1) * 16_384,
                    isSenderLimited: false,
                    roundTrip: Microseconds(50),
                    baseRoundTrip: .milliseconds(10)
                )
            )
            window.chunkSent(at: .milliseconds(Int(round)))
            #expect((2...512).contains(window.chunkCount) && window.opensAt == nil)
            #expect((1...window.chunkCount).contains(window.pollInterval))
        }
        // Nothing waits, so it asks sooner than for every half.
        #expect(window.chunkCount == 512 && window.pollInterval == 171)
    }

    @Test("A link that turned slow keeps a short queue, and one that turned fast again is filled")
    func otherSpeed() {
        let link = EventLink(interval: .milliseconds(30), perEvent: 20)
        link.run(.seconds(3))
        link.spacing = .milliseconds(6)
        link.run(.seconds(10))
        link.resetQueueMax()
        let slow = link.run(.seconds(3))
        #expect(slow >= 490, "\(slow) of 500")
        #expect(link.queueMax <= 10, "\(link.queueMax) of 5 an event")
        link.spacing = Microseconds(1_500)
        link.run(.seconds(10))
        let fast = link.run(.seconds(3))
        #expect(fast >= 1_960, "\(fast) of 2,000")
    }

    @Test(
        "Another connection interval, or a receiver that became slow, is not taken for a queue",
        arguments: [(15, 100, 2), (15, 15, 60), (100, 15, 2)]
    )
    func otherRoundTrip(before: Int, after: Int, answerDelay: Int) {
        let link = EventLink(interval: .milliseconds(before), perEvent: before)
        link.run(.seconds(3))
        link.interval = .milliseconds(after)
        link.answerDelay = .milliseconds(answerDelay)
        link.run(.seconds(20))
        let delivered = link.run(.seconds(10))
        #expect(delivered >= 9_000, "\(delivered) of 10,000")
    }

    /// Its answers wait for connection events of their own, which looks like a queue of half one.
    @Test("A receiver that takes 200 ms to answer gets most of the link")
    func slowReceiver() {
        let link = EventLink(interval: .milliseconds(30), perEvent: 30)
        link.run(.seconds(3))
        link.answerDelay = .milliseconds(200)
        link.run(.seconds(20))
        let delivered = link.run(.seconds(10))
        #expect(delivered >= 8_000, "\(delivered) of 10,000")
    }

    private static func sample(
        _ round: UInt32,
        roundTrip: Microseconds? = .milliseconds(60),
        lostTotal: UInt32 = 0
    ) -> RateSample {
        RateSample(
            now: .milliseconds(Int(round) * 60),
            deliveredTotal: round * 10,
            leftTotal: round * 10 + lostTotal,
            deliveredWhenSent: (round - 1) * 10,
            isSenderLimited: false,
            roundTrip: roundTrip,
            baseRoundTrip: .milliseconds(60)
        )
    }

    /// A queue held 6,000 bytes. The trial counted the chunks that were dropped there, so it seemed
    /// to be faster with each of them, and never ended: 20,000 were lost of an image of 2,093.
    @Test("A trial over a queue that drops chunks ends, and leaves the rate as it was")
    func droppingQueue() {
        var window = AutomaticWindow(
            baseRoundTrip: Self.idle(60, isConfirmed: true),
            frameByteCount: 244
        )
        var (round, lost): (UInt32, UInt32) = (0, 0)
        func acknowledge(after roundTrip: Int) {
            round += 1
            window.acknowledged(
                Self.sample(round, roundTrip: .milliseconds(roundTrip), lostTotal: lost)
            )
        }
        for _ in 0..<20 { acknowledge(after: 60) }
        #expect(window.isPaced)
        let before = window.chunkCount
        // Round trips of a busy host.
        for roundTrip: Int in [200, 60, 200, 60] { acknowledge(after: roundTrip) }
        #expect(!window.isPaced)
        for _ in 0..<30 {
            if !window.isPaced { lost += UInt32(window.chunkCount) }
            acknowledge(after: 120)
        }
        #expect(window.isPaced)
        #expect(window.chunkCount <= before * 2, "\(window.chunkCount), and \(before) before")
    }

    @Test("Startup ends with two rounds in a row that have a queue, not with one")
    func queues() {
        var rounds = StartupRounds()
        for (round, hasQueue) in [true, false, true].enumerated() {
            let isEnd = rounds.end(with: Self.sample(UInt32(round + 1)), hasQueue: hasQueue)
            #expect(isEnd && !rounds.isOver)
        }
        // What was sent again tells no round trip, and changes nothing.
        _ = rounds.end(with: Self.sample(4, roundTrip: nil), hasQueue: false)
        #expect(!rounds.isOver)
        _ = rounds.end(with: Self.sample(5), hasQueue: true)
        #expect(rounds.isOver)
    }

    @Test("An ACK of what was sent before the round began does not end it")
    func withinARound() {
        var rounds = StartupRounds()
        _ = rounds.end(with: Self.sample(1), hasQueue: false)
        var early = Self.sample(2)
        early.deliveredWhenSent = 9
        let isEnd = rounds.end(with: early, hasQueue: true)
        #expect(!isEnd)
    }

    @Test("A round that brings no more ends startup; with losses or few chunks, two in a row do")
    func plateaus() {
        var clean = StartupRounds()
        clean.measured(Self.sample(1), isGrowing: true)
        #expect(!clean.isOver)
        clean.measured(Self.sample(2), isGrowing: false)
        #expect(clean.isOver)
        var few = StartupRounds()
        for round in 1...2 as ClosedRange<UInt32> {
            var sample = Self.sample(round)
            sample.deliveredTotal = round * 5
            sample.deliveredWhenSent = (round - 1) * 5
            _ = few.end(with: sample, hasQueue: false)
            few.measured(sample, isGrowing: false)
            #expect(few.isOver == (round == 2))
        }
        var lossy = StartupRounds()
        lossy.measured(Self.sample(1, lostTotal: 1), isGrowing: false)
        lossy.measured(Self.sample(2, lostTotal: 2), isGrowing: true)
        lossy.measured(Self.sample(3, lostTotal: 3), isGrowing: false)
        #expect(!lossy.isOver)
        lossy.measured(Self.sample(4, lostTotal: 4), isGrowing: false)
        #expect(lossy.isOver)
    }
}
