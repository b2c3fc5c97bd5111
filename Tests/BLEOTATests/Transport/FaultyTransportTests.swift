import Testing

@testable import BLEOTA

/// What a fault plan does, and what it never does.
@Suite(.timeLimit(.minutes(2)))
struct FaultyTransportTests {
    private func makeLink(
        _ plan: FaultPlan,
        transmitWindow: Int = 4096
    ) -> (FaultyTransport<LoopbackTransport>, LoopbackTransport) {
        let (a, b) = LoopbackTransport.makePair(
            limits: TransportLimits(attMTU: 247),
            transmitWindow: transmitWindow
        )
        return (FaultyTransport(a, plan: plan), b)
    }

    /// Sends `count` numbered datagrams, closes, and tells what arrived.
    private func run(
        _ plan: FaultPlan,
        count: Int,
        _ delivery: Datagram.Delivery = .withoutResponse
    ) async throws -> (arrived: [Datagram], counts: FaultCounts) {
        let (a, b) = makeLink(plan)
        async let arrived = b.collectAll().datagrams
        for number in 0..<count {
            try await a.send(numbered(number, byteCount: 20), on: .data, delivery)
        }
        a.close(.local)
        return (await arrived, a.counts)
    }

    // MARK: Dice

    private static let everything = FaultPlan(
        loss: Probability(0.1)!,
        duplication: Probability(0.1)!,
        reordering: Probability(0.1)!,
        corruption: Probability(0.1)!,
        truncation: Probability(0.1)!,
        stallProbability: Probability(0.1)!,
        seed: 42
    )

    @Test("The same seed and sends give the same faults; another seed gives others")
    func repeatable() {
        func decisions(_ seed: UInt64) -> [FaultDice.Decision] {
            var plan = Self.everything
            plan.seed = seed
            var dice = FaultDice(plan)
            return (0..<500).map { number in
                dice.decide(
                    numbered(number, byteCount: 4 + number % 200),
                    number.isMultiple(of: 5) ? .withResponse : .withoutResponse
                )
            }
        }
        #expect(decisions(42) == decisions(42))
        #expect(decisions(42) != decisions(43))
    }

    @Test("One more fault in the plan leaves the other faults where they were")
    func independent() {
        var changed = Self.everything
        changed.corruption = .always
        var (dice, changedDice) = (FaultDice(Self.everything), FaultDice(changed))
        for number in 0..<500 {
            let decision = dice.decide(numbered(number), .withoutResponse)
            let other = changedDice.decide(numbered(number), .withoutResponse)
            #expect(decision.isLost == other.isLost)
            #expect(decision.isDuplicated == other.isDuplicated)
            #expect(decision.overtakerCount == other.overtakerCount)
            #expect(decision.bytes.count == other.bytes.count)
        }
    }

    @Test("Each fault comes about as often as planned")
    func frequency() {
        var dice = FaultDice(Self.everything)
        let count = 20_000
        var (lost, duplicated, held, stalled) = (0, 0, 0, 0)
        for number in 0..<count {
            let decision = dice.decide(numbered(number), .withoutResponse)
            lost += decision.isLost ? 1 : 0
            duplicated += decision.isDuplicated ? 1 : 0
            held += decision.overtakerCount > 0 ? 1 : 0
            stalled += decision.isStalled ? 1 : 0
        }
        // The seed is fixed, so this never fails by chance.
        for (happened, share) in [(lost, 0.1), (duplicated, 0.09), (held, 0.09), (stalled, 0.1)] {
            #expect(abs(Double(happened) / Double(count) - share) < 0.01)
        }
    }

    @Test("Corruption flips one to eight bits and no more", arguments: [1, 2, 20, 244])
    func corruption(_ byteCount: Int) {
        var dice = FaultDice(FaultPlan(corruption: .always, seed: 5))
        var seen: Set<Int> = []
        for _ in 0..<500 {
            let bytes = [UInt8](repeating: 0, count: byteCount)
            let decision = dice.decide(bytes, .withResponse)
            #expect(decision.isCorrupted && decision.bytes.count == byteCount)
            seen.insert(decision.bytes.reduce(0) { $0 + $1.nonzeroBitCount })
        }
        #expect(seen == Set(1...8))
    }

    @Test("Truncation takes at least one byte and leaves at least one")
    func truncation() {
        var dice = FaultDice(FaultPlan(truncation: .always, seed: 5))
        for byteCount in 1...20 {
            var seen: Set<Int> = []
            for _ in 0..<1000 {
                let bytes = (0..<UInt8(byteCount)).map(\.self)
                let decision = dice.decide(bytes, .withResponse)
                #expect(bytes.starts(with: decision.bytes))
                #expect(decision.isTruncated == (byteCount > 1))
                seen.insert(decision.bytes.count)
            }
            #expect(seen == (byteCount == 1 ? [1] : Set(1..<byteCount)))
        }
    }

    // MARK: On a link

    @Test("A plan without faults changes nothing")
    func faultless() async throws {
        let (arrived, counts) = try await run(FaultPlan(seed: 3), count: 300)
        #expect(arrived.map(number(of:)) == Array(0..<300))
        var expected = FaultCounts()
        expected.sent = 300
        #expect(counts == expected)
    }

    @Test("What is lost does not arrive, and is counted")
    func loss() async throws {
        let (arrived, counts) = try await run(FaultPlan(loss: .always), count: 20)
        #expect(arrived.isEmpty && counts.lost == 20)

        let (some, someCounts) = try await run(
            FaultPlan(loss: Probability("30%")!, seed: 9),
            count: 500
        )
        #expect(some.count == 500 - someCounts.lost)
        #expect((100...200).contains(someCounts.lost))
        #expect(some.map(number(of:)) == some.map(number(of:)).sorted())
    }

    @Test("What is duplicated arrives twice in a row")
    func duplication() async throws {
        let (arrived, counts) = try await run(FaultPlan(duplication: .always), count: 20)
        #expect(arrived.map(number(of:)) == (0..<20).flatMap { [$0, $0] })
        #expect(counts.duplicated == 20)
    }

    @Test("A datagram held back goes out by itself when nothing follows")
    func heldBackAlone() async throws {
        let (a, b) = makeLink(FaultPlan(reordering: .always))
        for number in 0..<3 {
            try await a.send(numbered(number), on: .data, .withoutResponse)
            #expect(try await b.receive().map(BLEOTATests.number(of:)) == [number])
        }
        #expect(a.counts.heldBack == 3)
    }

    @Test("A flush and a close send what is held back", arguments: [true, false])
    func heldBackAtEnd(_ flushes: Bool) async throws {
        let (a, b) = makeLink(FaultPlan(reordering: .always))
        for number in 0..<4 { try await a.send(numbered(number), on: .data, .withoutResponse) }
        async let arrived = b.collectAll()
        if flushes { try await a.flush() }
        a.close(.local)
        #expect(a.closeReason == .local)
        #expect(await arrived.datagrams.map(number(of:)) == [0, 1, 2, 3])
        #expect(await arrived.ending == .closed(.remote))
        await #expect(throws: TransportError.closed(.local)) { try await a.receive() }
    }

    @Test("A close is not held up by a peer that takes nothing")
    func closeWithDeafPeer() async throws {
        let (a, b) = makeLink(FaultPlan(reordering: .always), transmitWindow: 1)
        for number in 0..<2 { try await a.send(numbered(number), on: .data, .withoutResponse) }
        a.close(.failed("enough"))
        await #expect(throws: TransportError.closed(.failed("enough"))) { try await a.receive() }
        // The window had room for one.
        #expect(await b.collectAll().datagrams.map(number(of:)) == [0])
    }

    @Test(
        "No datagram is overtaken by more than the distance, and none is lost",
        arguments: 1...10
    )
    func distance(_ seed: UInt64) async throws {
        for distance in 1...4 {
            let plan = FaultPlan(
                reordering: Probability(0.3)!,
                reorderDistance: distance,
                seed: seed
            )
            let (arrived, counts) = try await run(plan, count: 300)
            let numbers = arrived.map(number(of:))
            #expect(numbers.sorted() == Array(0..<300))
            #expect((40...150).contains(counts.heldBack))
            #expect(numbers != numbers.sorted())
            for (position, number) in numbers.enumerated() {
                let overtakerCount = numbers[..<position].count { $0 > number }
                #expect(overtakerCount <= distance, "seed \(seed)")
            }
        }
    }

    @Test("A link that reorders says that it has no order")
    func order() {
        #expect(makeLink(FaultPlan()).0.limits.isOrdered)
        #expect(!makeLink(FaultPlan(reordering: Probability(0.01)!)).0.limits.isOrdered)
    }

    @Test("With response, nothing is lost, repeated or reordered, but it may be damaged")
    func withResponse() async throws {
        var plan = FaultPlan(loss: .always, duplication: .always, reordering: .always)
        let (arrived, counts) = try await run(plan, count: 50, .withResponse)
        #expect(arrived.map(number(of:)) == Array(0..<50))
        #expect(counts.lost + counts.duplicated + counts.heldBack == 0)

        plan.corruption = .always
        plan.truncation = .always
        let (damaged, damagedCounts) = try await run(plan, count: 50, .withResponse)
        #expect(damaged.count == 50 && damaged.allSatisfy { $0.bytes.count < 20 })
        #expect(damagedCounts.corrupted == 50 && damagedCounts.truncated == 50)
    }

    @Test(
        "All faults together never invent, and what arrives whole is what was sent",
        arguments: 1...5
    )
    func everything(_ seed: UInt64) async throws {
        var plan = Self.everything
        plan.seed = seed
        plan.stallDuration = .microseconds(10)
        let (arrived, counts) = try await run(plan, count: 500)
        #expect(arrived.count == 500 - counts.lost + counts.duplicated, "seed \(seed)")
        let sent = Set((0..<500).map { numbered($0, byteCount: 20) })
        let damagedCount = arrived.count { !sent.contains($0.bytes) }
        // A damaged one may also be duplicated.
        #expect(damagedCount <= 2 * (counts.corrupted + counts.truncated), "seed \(seed)")
        #expect(counts.stalled > 0)
    }

    @Test("The link is cut after so many datagrams", arguments: [0, 1, 7])
    func cut(_ count: Int) async throws {
        let (a, b) = makeLink(FaultPlan(cutAfterDatagrams: count))
        for number in 0..<count { try await a.send(numbered(number), on: .data, .withoutResponse) }
        await #expect(throws: TransportError.closed(.injected)) {
            try await a.send([1], on: .data, .withResponse)
        }
        await #expect(throws: TransportError.closed(.injected)) { try await a.receive() }
        #expect(a.closeReason == .injected)
        #expect(a.counts.cut == 1 && a.counts.sent == count)
        let (arrived, ending) = await b.collectAll()
        #expect(arrived.map(number(of:)) == Array(0..<count))
        #expect(ending == .closed(.remote))
    }

    @Test("A cut loses what is held back")
    func cutWithHeldBack() async throws {
        let (arrived, counts) = try await {
            let (a, b) = makeLink(FaultPlan(reordering: .always, cutAfterDatagrams: 3))
            for number in 0..<3 { try await a.send(numbered(number), on: .data, .withoutResponse) }
            return (await b.collectAll().datagrams, a.counts)
        }()
        #expect(arrived.count + counts.lost == 3)
    }

    @Test(
        "A stall holds the sender up; a close and a cancellation end it",
        arguments: [true, false]
    )
    func stall(_ closes: Bool) async throws {
        let (a, b) = makeLink(FaultPlan(stallProbability: .always, stallDuration: .seconds(3600)))
        let sender = Task { try await a.send([1], on: .data, .withoutResponse) }
        while a.counts.stalled == 0 { await Task.yield() }
        await letOthersRun()
        if closes { a.close(.local) } else { sender.cancel() }
        await #expect(throws: closes ? TransportError.closed(.local) : .cancelled) {
            try await sender.value
        }
        b.close(.local)
        #expect(await b.collectAll().datagrams.isEmpty)
    }

    @Test("A short stall only delays")
    func shortStall() async throws {
        let plan = FaultPlan(stallProbability: .always, stallDuration: .milliseconds(1))
        let (arrived, counts) = try await run(plan, count: 10)
        #expect(arrived.map(number(of:)) == Array(0..<10) && counts.stalled == 10)
    }
}
