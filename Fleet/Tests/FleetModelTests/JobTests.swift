import FleetModel
import Testing

@Suite("Jobs and leases")
struct JobTests {
    private let plan = Sample.plan(attempts: 4)
    private let east = Sample.gateways[0]
    private let west = Sample.gateways[1]

    @Test("Attempts are told by their number; each pause is twice as long, up to the longest")
    func attempts() throws {
        var device = Sample.device(1)
        _ = device.assign(plan.id, at: Sample.at(5))
        #expect(device.job?.attemptDue(at: Sample.at(4)) == nil)
        var now: UInt64 = 5
        for (attempt, pause) in [(1, 10), (2, 20), (3, 30)] as [(UInt8, UInt64)] {
            #expect(device.job?.attemptDue(at: Sample.at(now)) == attempt)
            let known = device
            for other in 0...5 as ClosedRange<UInt8> where other != attempt {
                device.report(.succeeded(attempt: other), for: plan)
                device.report(.failed(attempt: other, .refused, at: Sample.at(now)), for: plan)
            }
            #expect(device == known)
            device.report(.failed(attempt: attempt, .refused, at: Sample.at(now)), for: plan)
            #expect(device.job?.attemptDue(at: Sample.at(now + pause - 1)) == nil)
            now += pause
        }
        device.report(.failed(attempt: 4, .unreachable, at: Sample.at(now)), for: plan)
        #expect(device.job?.state == .failed(.unreachable))
        #expect(device.version == Sample.old)
    }

    @Test("An end stays, whatever is reported later")
    func ends() {
        var succeeded = Sample.device(1)
        _ = succeeded.assign(plan.id, at: Sample.start)
        succeeded.report(.succeeded(attempt: 1), for: plan)
        #expect(succeeded.version == Sample.new)
        var failed = Sample.device(2)
        let once = Sample.plan(attempts: 1)
        _ = failed.assign(once.id, at: Sample.start)
        failed.report(.failed(attempt: 1, .gateway, at: Sample.start), for: once)
        for device in [succeeded, failed] {
            var device = device
            let known = device
            for attempt in 0...3 as ClosedRange<UInt8> {
                device.report(.succeeded(attempt: attempt), for: plan)
                device.report(.failed(attempt: attempt, .gateway, at: Sample.at(9)), for: plan)
            }
            let isGiven = device.assign(plan.id, at: Sample.at(9))
            #expect(!isGiven)
            #expect(device == known)
        }
    }

    @Test("A device has one job at a time, and none of a campaign twice")
    func oneJob() throws {
        var device = Sample.device(1)
        let other = try #require(CampaignID("summer"))
        var isGiven = [device.assign(plan.id, at: Sample.start)]
        isGiven.append(device.assign(other, at: Sample.start))
        device.report(.succeeded(attempt: 1), for: plan)
        isGiven.append(device.assign(other, at: Sample.start))
        #expect(isGiven == [true, false, true])
        // A report of the first campaign comes late.
        let known = device
        device.report(.failed(attempt: 1, .refused, at: Sample.at(1)), for: plan)
        #expect(device == known)
    }

    @Test("Every input in every state of a lease")
    func leases() {
        let now = Sample.at(100)
        let end = Sample.at(160)
        let past = Lease.held(by: east, until: now)
        let present = Lease.held(by: east, until: Sample.at(101))
        let long = Lease.held(by: east, until: Sample.at(500))
        let (ours, theirs) = (
            Lease.held(by: east, until: end), Lease.held(by: west, until: end)
        )
        let table: [(Lease, Lease.Input, Lease, Moment?)] = [
            (.free, .take(east), ours, end), (.free, .renew(east), .free, nil),
            (.free, .release(east), .free, nil),
            (past, .take(east), ours, end), (past, .take(west), theirs, end),
            (past, .renew(east), past, nil), (past, .renew(west), past, nil),
            (past, .release(east), past, nil), (past, .release(west), past, nil),
            (present, .take(east), present, nil), (present, .take(west), present, nil),
            (present, .renew(east), ours, end), (present, .renew(west), present, nil),
            (present, .release(east), .free, nil), (present, .release(west), present, nil),
            (long, .renew(east), long, Sample.at(500)), (long, .take(west), long, nil),
        ]
        for (before, input, after, until) in table {
            var lease = before
            let end = lease.handle(input, at: now)
            #expect(end == until, "\(before) × \(input)")
            #expect(lease == after, "\(before) × \(input)")
        }
        #expect(past.effective(at: now) == .free)
        #expect(present.effective(at: now) == present)
    }

    @Test("A record that is seen twice, or after a newer one, is counted once")
    func tally() {
        var tally = Tally(of: plan.id)
        var device = Sample.device(1)
        tally.see(device, at: 1)
        #expect(tally.counts == Sample.counts(given: 0))
        _ = device.assign(plan.id, at: Sample.start)
        let waiting = device
        tally.see(device, at: 2)
        device.report(.succeeded(attempt: 1), for: plan)
        for revision in [3, 3, 4, 2] as [UInt64] {
            tally.see(revision == 2 ? waiting : device, at: revision)
            #expect(tally.counts == Sample.counts(given: 1, succeeded: 1))
        }
        // A controller that takes over sees the end alone.
        var later = Tally(of: plan.id)
        later.see(device, at: 4)
        later.see(waiting, at: 2)
        #expect(later.counts == tally.counts)
    }
}
