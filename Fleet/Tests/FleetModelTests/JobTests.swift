import Testing

@testable import FleetModel

@Suite("Jobs and leases")
struct JobTests {
    private let plan = Sample.plan(attempts: 4)
    private let east = Sample.gateways[0]
    private let west = Sample.gateways[1]
    private let refusal = Failure(.refused, "no")

    private func report(
        _ news: Report.News,
        _ turn: UInt32,
        of campaign: CampaignID = Sample.spring
    ) -> Report {
        Report(campaign: campaign, turn: Turn(turn), news)
    }

    @Test("Each pause is twice as long as the one before, up to the longest")
    func attempts() {
        var device = Sample.device(1)
        _ = device.assign(plan.id, at: Sample.at(5))
        var now: UInt64 = 5
        for (attempt, pause) in [(1, 10), (2, 20), (3, 30)] as [(UInt8, UInt64)] {
            #expect(device.job?.attemptDue(at: Sample.at(now), plan.retries) == attempt)
            let isLent = device.lend(to: east, at: Sample.at(now), plan.retries)
            #expect(isLent)
            let failed = report(.failed(refusal), UInt32(attempt))
            device.take(failed, by: east, at: Sample.at(now), for: plan)
            #expect(device.job?.attemptDue(at: Sample.at(now + pause - 1), plan.retries) == nil)
            now += pause
        }
        _ = device.lend(to: east, at: Sample.at(now), plan.retries)
        let last = Failure(.unreachable, "gone")
        device.take(report(.failed(last), 4), by: east, at: Sample.at(now), for: plan)
        #expect(device.job?.state == .failed(last))
        #expect(device.lease == nil)
        #expect(device.version == Sample.old)
    }

    @Test("A device that rejects the image has failed at once, whatever it was tried before")
    func rejected() {
        for kind in Failure.Kind.allCases {
            for attempt in 1...4 as ClosedRange<UInt8> {
                let waiting = Job.State.waiting(attempt: attempt, notBefore: Sample.start)
                var job = Job(plan.id, waiting)
                job.handle(.failed(Failure(kind, "no"), at: Sample.start), plan.retries)
                let isOver = kind == .rejected || attempt == 4
                #expect((job.state == .failed(Failure(kind, "no"))) == isOver, "\(kind) \(attempt)")
                #expect((job.outcome == nil) != isOver)
            }
        }
    }

    /// It waited an hour.
    @Test("No pause gets longer when the clock is set back, whenever that happens")
    func clockSetBack() {
        var device = Sample.device(1)
        _ = device.assign(plan.id, at: Sample.at(9_000))
        _ = device.lend(to: east, at: Sample.at(9_000), plan.retries)
        device.take(report(.failed(refusal), 1), by: east, at: Sample.at(9_000), for: plan)
        // The pause is 10 s.
        for now in 5_390...9_020 as ClosedRange<UInt64> {
            let due = device.job?.attemptDue(at: Sample.at(now), plan.retries)
            #expect(due == ((9_000..<9_010).contains(now) ? nil : 2), "\(now)")
        }
    }

    @Test("Every report, in every state of a lease")
    func leases() {
        var lent = Sample.device(1)
        _ = lent.assign(plan.id, at: Sample.start)
        _ = lent.lend(to: west, at: Sample.start, plan.retries)
        lent.endLease()
        let free = lent
        _ = lent.lend(to: east, at: Sample.start, plan.retries)
        #expect(lent.lease == Lease(to: east, Turn(2)))
        #expect(lent.order(for: plan)?.turn == Turn(2))
        #expect(free.order(for: plan) == nil)
        let news: [Report.News] = [
            .working(storedByteCount: 1, byteCount: 2), .succeeded, .failed(refusal), .returned,
            .proved(DeviceReceipt([1])!),
        ]
        for record in [free, lent] {
            for gateway in [east, west] {
                for turn in 0...3 as ClosedRange<UInt32> {
                    for news in news {
                        for campaign in [Sample.spring, CampaignID("summer")!] {
                            var told = record
                            let isTaken = told.take(
                                report(news, turn, of: campaign),
                                by: gateway,
                                at: Sample.start,
                                for: plan
                            )
                            let isOurs =
                                record == lent && gateway == east && turn == 2
                                && campaign == plan.id
                            #expect(isTaken == isOurs)
                            if isOurs { check(told, after: news) } else { #expect(told == record) }
                        }
                    }
                }
            }
        }
        // Another doesn't get it while it is lent.
        let known = lent
        let isLent = lent.lend(to: west, at: Sample.at(99), plan.retries)
        #expect(!isLent)
        #expect(lent == known)
    }

    private func check(_ device: DeviceRecord, after news: Report.News) {
        switch news {
        case .working: #expect(device.lease != nil)
        case .succeeded, .proved:
            #expect(device.job?.outcome == .succeeded)
            #expect(device.version == Sample.new)
        case .failed:
            #expect(
                device.job?.state == .waiting(attempt: 2, notBefore: Sample.at(10), after: refusal)
            )
        case .returned: #expect(device.job?.state == .waiting(attempt: 1, notBefore: Sample.start))
        }
        if case .working = news { return }
        #expect(device.lease == nil)
    }

    @Test("Every success with every evidence, for every rule and device")
    func evidence() throws {
        let nonce = try #require(Nonce([UInt8](repeating: 1, count: 12)))
        let keys = [1, 2].map { DeviceKey([UInt8](repeating: $0, count: 32))! }
        for rule in ReceiptRule.allCases {
            let plan = Sample.plan(receipts: rule)
            for known in [nil, keys[0]] {
                for evidence in [.unsigned, .forged] + keys.map({ Evidence.signed(by: $0) }) {
                    var device = Sample.device(1)
                    device.key = known
                    _ = device.assign(plan.id, at: Sample.start)
                    let isNeeded = device.needsReceipt(for: plan)
                    #expect(isNeeded == (known != nil || rule != .optional))
                    _ = device.lend(
                        to: east,
                        at: Sample.start,
                        plan.retries,
                        nonce: isNeeded ? nonce : nil
                    )
                    #expect(device.order(for: plan)?.nonce == (isNeeded ? nonce : nil))
                    device.take(
                        report(.succeeded, 1),
                        by: east,
                        at: Sample.start,
                        for: plan,
                        evidence: evidence
                    )
                    let counts =
                        switch evidence {
                        case .signed(let key): key == known || known == nil && rule == .enrolling
                        case .unsigned, .forged: false
                        }
                    #expect(device.job?.isSigned == (isNeeded && counts))
                    #expect((device.job?.outcome == .succeeded) == (!isNeeded || counts))
                    let isEnrolled = rule == .enrolling && counts && known == nil
                    let signer = if case .signed(let key) = evidence { key } else { keys[1] }
                    #expect(device.key == (isEnrolled ? signer : known))
                    #expect(device.nonce == nil)
                }
            }
        }
    }

    @Test("A device has one job at a time, and none of a campaign twice")
    func oneJob() throws {
        var device = Sample.device(1)
        let other = try #require(CampaignID("summer"))
        var isGiven = [device.assign(plan.id, at: Sample.start)]
        isGiven.append(device.assign(other, at: Sample.start))
        _ = device.lend(to: east, at: Sample.start, plan.retries)
        device.take(report(.succeeded, 1), by: east, at: Sample.start, for: plan)
        isGiven.append(device.assign(plan.id, at: Sample.start))
        isGiven.append(device.assign(other, at: Sample.start))
        #expect(isGiven == [true, false, false, true])
    }

    @Test("After the last turn, a device isn't lent any more")
    func lastTurn() throws {
        let known = Sample.device(1)
        let job = Job(for: plan.id, at: Sample.start)
        var device = try #require(
            DeviceRecord(known, job: job, lessee: nil, turn: Turn(.max))
        )
        let isLent = device.lend(to: east, at: Sample.start, plan.retries)
        #expect(!isLent)
        #expect(device.lease == nil)
    }

    @Test("A record that is seen twice, or after a newer one, is counted once")
    func tally() {
        var tally = Tally(of: plan)
        var device = Sample.device(1)
        tally.see(device, at: 1)
        #expect(tally.counts == Sample.counts(given: 0, eligible: 1))
        _ = device.assign(plan.id, at: Sample.start)
        let waiting = device
        tally.see(device, at: 2)
        _ = device.lend(to: east, at: Sample.start, plan.retries)
        device.take(report(.succeeded, 1), by: east, at: Sample.start, for: plan)
        for revision in [3, 3, 4, 2] as [UInt64] {
            tally.see(revision == 2 ? waiting : device, at: revision)
            #expect(tally.counts == Sample.counts(given: 1, succeeded: 1, eligible: 0))
        }
        // A controller that takes over sees the end alone.
        var later = Tally(of: plan)
        later.see(device, at: 4)
        later.see(waiting, at: 2)
        #expect(later.counts == tally.counts)
    }
}
