import FleetModel
import FleetTestSupport
import Glibc
import Testing

/// Processes are killed, halted and cut off, disks are slow, and clocks are set by an hour. Whatever
/// happens, the fleet says of each device what the device's own store says.
@Suite("A fleet with faults", .enabled(if: TestServer.isThere, "\(TestServer.isMissing)"))
struct NothingLostTests {
    private static let campaign = CampaignID("spring")!
    /// Devices that refuse the image, of all.
    private static let refusingCount = 2

    @Test("Loses nothing, and updates no device twice", arguments: Rounds.seeds(8, full: 100))
    func nothingLost(seed: UInt64) async throws {
        try await Turnstile.shared.pass { try await Self.play(seed) }
    }

    private static func play(_ seed: UInt64) async throws {
        let schedule = Fault.schedule(seed)
        let story = "seed \(seed): " + schedule.map(\.description).joined(separator: "; ")
        print(story)
        let fleet = try await Fleet(
            seed: seed,
            deviceCount: 12,
            ["--refuse", Fleet.version.description, "--affected", "\(refusingCount)"]
        )
        try fleet.start()
        let image = try await fleet.addImage(byteCount: 48 << 10)
        try await fleet.startCampaign(plan(image.digest, of: Digest(image.sha256)!))
        try await endure(schedule, fleet)
        try await eventually("the campaign is over, \(story)", within: .seconds(120)) {
            try fleet.supervise()
            return try await isOver(fleet)
        }

        let records = try await fleet.records()
        #expect(records.count == fleet.deviceCount, "\(story)")
        let codes = try await fleet.end()
        // One that has been started again just now may have no handler of SIGTERM yet.
        for (victim, code) in codes where code != 0 && code != 256 + SIGTERM {
            Issue.record("\(victim) ended with \(code): \(fleet.tail(of: victim)), \(story)")
        }
        let events = try fleet.log(of: .devices)
        for record in records {
            let stored = try await fleet.storedImage(record.id)
            let outcome: Job.Outcome = stored == image.sha256 ? .succeeded : .failed
            #expect(record.job?.outcome == outcome, "\(record), \(story)")
            let installs = events.filter {
                $0.name == "verified" && $0.text("device") == record.id.text
            }
            // None if the device was killed before it could print it.
            #expect(installs.count <= 1, "\(record), \(story)")
        }
        let failed = records.filter { $0.job?.outcome == .failed }
        #expect(failed.count >= refusingCount, "\(story)")
    }

    /// Begins and ends the faults when it is time for each.
    private static func endure(_ schedule: [Fault], _ fleet: Fleet) async throws {
        let beginning = ContinuousClock.now
        let begins = schedule.map { (at: $0.start, fault: $0, isEnd: false) }
        let ends = schedule.map { (at: $0.start + $0.length, fault: $0, isEnd: true) }
        for step in (begins + ends).sorted(by: { $0.at < $1.at }) {
            while ContinuousClock.now < beginning + step.at {
                try fleet.supervise()
                try await Task.sleep(for: .milliseconds(20))
            }
            if step.isEnd { try await fleet.mend(step.fault) } else { fleet.begin(step.fault) }
        }
    }

    /// Whether the campaign is over, no device is lent, and no order is left.
    private static func isOver(_ fleet: Fleet) async throws -> Bool {
        guard (try? await fleet.phase(campaign)) == .finished,
            let records = try? await fleet.records(), let orders = try? await fleet.orderCount()
        else { return false }
        return orders == 0 && records.allSatisfy { $0.lease == nil && $0.job?.outcome != nil }
    }

    private static func plan(_ image: Digest, of content: Digest) -> CampaignPlan {
        CampaignPlan(
            id: campaign,
            image: image,
            content: content,
            version: Fleet.version,
            selection: Selection(hardware: Fleet.hardware),
            stages: StagePlan([5_000, 10_000].map { Share(basisPoints: $0)! })!,
            failuresAllowed: Share(basisPoints: 10_000)!,
            window: nil,
            retries: RetryPolicy(
                attemptCount: 10,
                firstPause: Span(milliseconds: 100),
                longestPause: Span(milliseconds: 500)
            )!
        )
    }
}
