import FleetModel
import FleetStore

/// Values for tests, which are valid.
enum Sample {
    static let lamp = HardwareName("lamp")!
    static let east = GatewayID("east")!
    static let west = GatewayID("west")!
    static let spring = CampaignID("spring")!
    static let old = FirmwareVersion(1, 0, 0)
    static let new = FirmwareVersion(2, 0, 0)
    static let refusal = Failure(.refused, "the image is for other hardware")
    static let silence = Failure(.unreachable, "no answer in 20 s")

    static func at(_ seconds: UInt64) -> Moment { Moment(milliseconds: seconds * 1_000)! }
    static func uptime(_ seconds: UInt64) -> Uptime { Uptime(milliseconds: seconds * 1_000) }

    static func plan(
        _ id: CampaignID = spring,
        stages: [UInt16] = [1_000, 10_000],
        attempts: UInt8 = 1
    ) -> CampaignPlan {
        CampaignPlan(
            id: id,
            image: Digest([UInt8](repeating: 7, count: 32))!,
            content: Digest([UInt8](repeating: 8, count: 32))!,
            version: new,
            selection: Selection(hardware: lamp),
            stages: StagePlan(stages.map { Share(basisPoints: $0)! })!,
            failuresAllowed: Share(basisPoints: 10_000)!,
            window: nil,
            retries: RetryPolicy(
                attemptCount: attempts,
                firstPause: .seconds(60),
                longestPause: .seconds(60)
            )!
        )
    }

    static func campaign(_ inputs: CampaignPhase.Input..., plan: CampaignPlan = plan()) -> Campaign
    {
        var campaign = Campaign(plan)
        for input in inputs { campaign.handle(input) }
        return campaign
    }

    static func device(_ number: Int) -> DeviceRecord {
        DeviceRecord(id: DeviceID("lamp-\(number)")!, hardware: lamp, version: old)
    }

    /// A device in the state to which these steps bring it.
    static func device(_ number: Int, _ steps: Step..., of plan: CampaignPlan = plan())
        -> DeviceRecord
    {
        steps.reduce(into: device(number)) { take($1, &$0, plan) }
    }

    enum Step {
        case given, lent, succeeded, failed(Failure), ended
    }

    private static func take(_ step: Step, _ device: inout DeviceRecord, _ plan: CampaignPlan) {
        let turn = device.turn
        let report = { (news: Report.News) in
            Report(campaign: plan.id, turn: turn, news)
        }
        switch step {
        case .given: _ = device.assign(plan.id, at: at(0))
        case .lent: _ = device.lend(to: east, at: at(0), plan.retries)
        case .succeeded: device.take(report(.succeeded), by: east, at: at(0), for: plan)
        case .failed(let why): device.take(report(.failed(why)), by: east, at: at(0), for: plan)
        case .ended: device.endLease()
        }
    }

    static func counts(given: Int, succeeded: Int, failed: Int = 0) -> Tally.Counts {
        var counts = Tally.Counts()
        counts.given = DeviceCount(given)!
        counts.succeeded = DeviceCount(succeeded)!
        counts.failed = DeviceCount(failed)!
        return counts
    }

    static func status(_ places: UInt8 = 4, beat: UInt64 = 1) -> GatewayStatus {
        GatewayStatus(places: places, program: FirmwareVersion(0, 1, 0), beat: beat, at: at(0))!
    }

    static func sighting(_ strength: Int) -> Sighting {
        Sighting(hardware: lamp, version: old, strength: Strength(dBm: strength)!, at: at(0))
    }

    static func name(_ number: Int, at gateway: GatewayID = east) -> DeviceAtGateway {
        DeviceAtGateway(DeviceID("lamp-\(number)")!, at: gateway)
    }
}
