import FleetModel
import FleetTestSupport
import Testing

@Suite("A bad image", .enabled(if: TestServer.isThere, "\(TestServer.isMissing)"))
struct ThresholdTests {
    /// Real processes and real pushes: devices take the image, and don't start with it.
    @Test("Stops within its stage, and touches no device beyond it")
    func threshold() async throws {
        let fleet = try await Fleet(
            seed: .random(in: .min ... .max),
            deviceCount: 40,
            ["--broken", Fleet.version.description]
        )
        try fleet.start([.firstController, .east, .north, .devices])
        let image = try await fleet.addImage(byteCount: 16 << 10)
        let id = CampaignID("bad")!
        let stages = StagePlan([1_000, 10_000].map { Share(basisPoints: $0)! })!
        try await fleet.startCampaign(
            CampaignPlan(
                id: id,
                image: image.digest,
                content: Digest(image.sha256)!,
                version: Fleet.version,
                selection: Selection(hardware: Fleet.hardware),
                stages: stages,
                failuresAllowed: Share(basisPoints: 0)!,
                window: nil,
                retries: RetryPolicy(
                    attemptCount: 1,
                    firstPause: .seconds(1),
                    longestPause: .seconds(1)
                )!
            )
        )
        try await eventually("the campaign is stopped") {
            try await fleet.phase(id) == .stopped(.tooManyFailures)
        }
        try await eventually("no device is lent, and no order left") {
            guard try await fleet.orderCount() == 0 else { return false }
            return try await fleet.records().allSatisfy { $0.lease == nil }
        }
        #expect(try await fleet.end().values.allSatisfy { $0 == 0 })
        // 10 % of 40. What is in flight belongs to the stage.
        let touched = try await fleet.records().filter { $0.turn > .none }
        #expect((1...4).contains(touched.count))
        let events = try fleet.log(of: .devices)
        let begun = Set(events.filter { $0.name == "started" }.compactMap { $0.text("device") })
        #expect(begun.isSubset(of: touched.map(\.id.text)))
        #expect(touched.contains { $0.job?.outcome == .failed })
    }
}
