import Testing

@testable import BLEOTACore

@Suite("What automatic windows are made of")
struct PacingTests {
    @Test("A rate is a spacing: 100 chunks a second are 10 ms each")
    func rate() throws {
        let rate = try #require(PacingRate(of: 100, in: .seconds(1)))
        #expect(rate.nanoseconds == 10_000_000)
        #expect(rate.chunkCount(in: .milliseconds(95)) == 9)
        #expect(rate.chunkCount(in: .seconds(3_600)) == 512)
        #expect(rate.faster(byPercent: 25).nanoseconds == 8_000_000)
        #expect(rate.faster(byPercent: -20).nanoseconds == 12_500_000)
        let half = try #require(PacingRate(of: 50, in: .seconds(1)))
        // The mean of 100 and 50 a second is 75.
        #expect(rate.slower(of: half).nanoseconds == half.nanoseconds)
        #expect(half.slower(of: rate).nanoseconds == half.nanoseconds)
        #expect(rate.faster(of: half).nanoseconds == rate.nanoseconds)
        #expect(half.faster(of: rate).nanoseconds == rate.nanoseconds)
        #expect(PacingRate.mean(rate, half).nanoseconds == 13_333_333)
        #expect(PacingRate(of: 0, in: .seconds(1)) == nil)
        #expect(PacingRate(of: 1, in: .zero) == nil)
        #expect(PacingRate(of: .max, in: Microseconds(1))?.nanoseconds == 1)
    }

    /// Found by `bleota simulate --seed 7023`.
    @Test("Rates of hours for a chunk are as slow as any, and their mean does not overflow")
    func slowest() throws {
        let slow = try #require(PacingRate(of: 1, in: Microseconds(.max)))
        #expect(slow.nanoseconds == 2_000_000_000)
        #expect(PacingRate.mean(slow, slow).nanoseconds == slow.nanoseconds)
        #expect(slow.faster(byPercent: -5).nanoseconds == slow.nanoseconds)
        #expect(slow.chunkCount(in: .seconds(5)) == 2)
    }

    @Test("A measured rate counts up to half above the last, and down to the half of it")
    func bounded() throws {
        let last = try #require(PacingRate(of: 100, in: .seconds(1)))
        for (count, counted) in [(90, 90), (149, 149), (400, 150), (51, 51), (3, 50)] {
            let measured = try #require(PacingRate(of: UInt32(count), in: .seconds(1)))
            #expect(measured.bounded(by: last).nanoseconds == 1_000_000_000 / Int64(counted))
            #expect(measured.bounded(by: nil).nanoseconds == measured.nanoseconds)
        }
    }

    @Test("A tenth faster is 110 chunks where the other has 100, and not 109")
    func tenth() throws {
        let slow = try #require(PacingRate(of: 100, in: .seconds(1)))
        let fast = try #require(PacingRate(of: 111, in: .seconds(1)))
        let almost = try #require(PacingRate(of: 109, in: .seconds(1)))
        #expect(fast.isTenthFaster(than: slow) && !almost.isTenthFaster(than: slow))
    }

    @Test("A pacer lets out what 5 ms were due, then one chunk each spacing, to the nanosecond")
    func pacer() throws {
        let rate = try #require(PacingRate(of: 3, in: .milliseconds(10)))
        var pacer = Pacer()
        var now = Instant.milliseconds(1_000)
        pacer.chunkSent(at: now, rate: rate, grain: .zero)
        #expect(pacer.opensAt == nil)
        var sentCount = 1
        while now < .milliseconds(2_000) {
            if let opensAt = pacer.opensAt {
                now = opensAt
                pacer.update(at: now)
                #expect(pacer.opensAt == nil)
            }
            pacer.chunkSent(at: now, rate: rate, grain: .zero)
            sentCount += 1
        }
        #expect((301...303).contains(sentCount), "\(sentCount)")
    }

    @Test("With a grain of 20 ms chunks of 10 ms go out two or three at a time, and the rate stays")
    func grain() throws {
        let rate = try #require(PacingRate(of: 1, in: .milliseconds(10)))
        var pacer = Pacer()
        var now = Instant.milliseconds(1_000)
        var bursts: [Int] = []
        while now < .milliseconds(3_000) {
            var count = 0
            while pacer.opensAt == nil {
                pacer.chunkSent(at: now, rate: rate, grain: .milliseconds(20))
                count += 1
            }
            bursts.append(count)
            now = try #require(pacer.opensAt)
            pacer.update(at: now)
        }
        #expect(Set(bursts.dropFirst()) == [3], "\(bursts)")
        #expect((198...206).contains(bursts.reduce(0, +)), "\(bursts.reduce(0, +))")
    }

    /// Found by `bleota simulate --seed 121065`: at three chunks a second in the end.
    @Test("Timers that are 50 ms late make bursts, and the rate stays")
    func lateTimers() throws {
        let rate = try #require(PacingRate(of: 1, in: .milliseconds(10)))
        var pacer = Pacer()
        var now = Instant.milliseconds(1_000)
        var sentCount = 0
        while now < .milliseconds(3_000) {
            while pacer.opensAt == nil {
                pacer.chunkSent(at: now, rate: rate, grain: .zero)
                sentCount += 1
            }
            now = try #require(pacer.opensAt) + .milliseconds(50)
            pacer.update(at: now)
        }
        #expect((195...207).contains(sentCount), "\(sentCount)")
    }

    @Test("What was not sent for want of something else is not made up for")
    func notLate() throws {
        let rate = try #require(PacingRate(of: 1, in: .milliseconds(10)))
        var pacer = Pacer()
        var now = Instant.milliseconds(1_000)
        pacer.chunkSent(at: now, rate: rate, grain: .zero)
        pacer.update(at: now + .milliseconds(10))
        now = now + .milliseconds(500)
        var sentCount = 0
        while pacer.opensAt == nil {
            pacer.chunkSent(at: now, rate: rate, grain: .zero)
            sentCount += 1
        }
        #expect(sentCount == 1)
    }

    @Test("A pacer stays shut until its moment")
    func shut() throws {
        let rate = try #require(PacingRate(of: 1, in: .milliseconds(20)))
        var pacer = Pacer()
        pacer.chunkSent(at: .milliseconds(100), rate: rate, grain: .zero)
        #expect(pacer.opensAt == .milliseconds(115))
        pacer.update(at: .milliseconds(114))
        #expect(pacer.opensAt == .milliseconds(115))
        pacer.update(at: .milliseconds(115))
        #expect(pacer.opensAt == nil)
    }

    @Test("The idle round trip is what OPEN took, or the first chunks if that was more, no later")
    func idle() {
        var idle = BaseRoundTrip()
        #expect(idle.span == .milliseconds(60) && !idle.isConfirmed)
        idle.opened(after: .milliseconds(45))
        #expect(idle.span == .milliseconds(45) && !idle.isConfirmed)
        idle.chunkAnswered(after: .milliseconds(58))
        #expect(idle.span == .milliseconds(58) && idle.isConfirmed)
        idle.chunkAnswered(after: .milliseconds(500))
        idle.opened(after: .milliseconds(500))
        #expect(idle.span == .milliseconds(58))
    }

    @Test("Where OPEN was repeated, the first chunks alone tell; within 10 ms and 2 s")
    func idleBounds() {
        var idle = BaseRoundTrip()
        idle.chunkAnswered(after: .milliseconds(30))
        #expect(idle.span == .milliseconds(30))
        idle = BaseRoundTrip()
        idle.opened(after: .zero)
        #expect(idle.span == .milliseconds(10))
        idle.opened(after: .seconds(9))
        #expect(idle.span == .seconds(2))
    }

    @Test("A delay is what a round trip has more than the shortest")
    func delay() {
        var delay = QueueDelay()
        #expect(delay.note(.milliseconds(30)) == .zero)
        #expect(delay.record(milliseconds: 45) == .milliseconds(15))
        #expect(delay.record(milliseconds: 20) == .zero)
        #expect(delay.record(milliseconds: 45) == .milliseconds(25))
    }

    @Test("Four delays in a row of more than twice the target, or twelve of 1.5 times, are none")
    func noQueue() {
        var delay = QueueDelay()
        delay.record(milliseconds: 20)
        for milliseconds in [90, 60, 95] { delay.record(milliseconds: milliseconds) }
        delay.record(milliseconds: 30)
        for milliseconds in [90, 60, 95] {
            delay.record(milliseconds: milliseconds)
            #expect(delay.idleMin == .zero)
        }
        delay.record(milliseconds: 94)
        #expect(delay.idleMin == .milliseconds(95))
        #expect(delay.record(milliseconds: 70) == .milliseconds(10))
        for _ in 0..<12 { delay.record(milliseconds: 76) }
        #expect(delay.record(milliseconds: 76) == .zero)
    }

    @Test("A queue that drains as it should is one, however long it takes")
    func draining() {
        var delay = QueueDelay()
        delay.record(milliseconds: 20)
        for milliseconds in stride(from: 600, through: 100, by: -5) {
            delay.record(milliseconds: milliseconds)
        }
        #expect(delay.idleMin == .zero && delay.shortest == .milliseconds(20))
        // Half as fast it is none.
        delay.record(milliseconds: 20)
        for milliseconds in stride(from: 600, through: 593, by: -2) {
            delay.record(milliseconds: milliseconds)
        }
        #expect(delay.idleMin == .milliseconds(600) && delay.shortest == .milliseconds(594))
    }

    @Test("What the idle round trip is taken for fades while waits are short")
    func fades() {
        var delay = QueueDelay()
        delay.record(milliseconds: 0)
        for _ in 0..<4 { delay.record(milliseconds: 160) }
        #expect(delay.idleMin == .milliseconds(160))
        delay.record(milliseconds: 165)
        #expect(delay.idleMin == .milliseconds(150))
        // Nor is what is not half above the target long enough to keep it.
        delay.record(milliseconds: 175)
        #expect(delay.idleMin == Microseconds(140_625))
    }

    @Test(
        "Chunks should wait 0.8 connection intervals, longer at slow hosts, or where waits differ"
    )
    func target() {
        let idle = Microseconds.milliseconds(60)
        var delay = QueueDelay()
        delay.note(.milliseconds(20))
        #expect(delay.target(baseRoundTrip: idle, first: idle) == .milliseconds(24))
        // What is more than one and a half intervals is spent at hosts, up to an idle round trip.
        delay = QueueDelay()
        delay.note(.milliseconds(45))
        #expect(delay.target(baseRoundTrip: idle, first: idle) == .milliseconds(24))
        delay = QueueDelay()
        delay.note(.milliseconds(50))
        #expect(delay.target(baseRoundTrip: idle, first: idle) == .milliseconds(29))
        delay = QueueDelay()
        delay.note(.milliseconds(500))
        #expect(delay.target(baseRoundTrip: idle, first: idle) == .milliseconds(39))
        // Waits of none and 40 ms: twice their deviation, up to an interval and 20 ms.
        delay = QueueDelay()
        for _ in 0..<50 {
            delay.record(milliseconds: 20)
            delay.record(milliseconds: 60)
        }
        let busy = delay.target(baseRoundTrip: idle, first: idle)
        #expect(busy > .milliseconds(40) && busy < .milliseconds(50), "\(busy)")
        delay.record(milliseconds: 5_000)
        #expect(delay.target(baseRoundTrip: idle, first: idle) == .milliseconds(50))
    }
}

extension QueueDelay {
    /// A round trip where 10 ms are what waits should be, and the sender drained 5 ms since the
    /// last.
    @discardableResult
    fileprivate mutating func record(milliseconds: Int) -> Microseconds {
        record(.milliseconds(milliseconds), target: .milliseconds(10), drained: .milliseconds(5))
    }
}
