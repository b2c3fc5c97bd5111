import FleetModel
import FleetStore

/// The fleet that the console shows: 1,240 devices, six gateways and six campaigns.
enum Script {
    static let lamp = HardwareName("lamp")!
    static let meter = HardwareName("meter")!
    static let spring = CampaignID("spring-lights")!
    static let groups = ["hall", "roof", "garage"].map { GroupName($0)! }
    /// A name as long as names may be.
    static let longName = "something-that-somebody-described-with-as-many-bytes-as-possible"
    static let gateways = ["hall-1", "hall-2", "hall-3", "roof-north", "roof-south", "garage"]
        .map { GatewayID($0)! }
    /// The gateway that has fallen silent: its status is written once.
    static let silent = GatewayID("garage")!
    static let reasons = [
        Failure(.refused, "the image is for other hardware"),
        Failure(.unreachable, "no answer in 20 s"),
        Failure(.unreachable, "the device went away at byte 98304"),
        // As long as a reason may be, and with a word that fits on no phone.
        Failure(
            .gateway,
            "the image cache can't be written: \(String(repeating: "very-", count: 12))long-path "
                + "has no room for 524288 bytes, of which 98304 were there"
        ),
    ]

    static let retries = RetryPolicy(
        attemptCount: 3,
        firstPause: .seconds(60),
        longestPause: .seconds(3_600)
    )!

    static func plan(
        _ id: CampaignID,
        _ version: FirmwareVersion,
        for selection: Selection = Selection(hardware: lamp),
        stages: [UInt16] = [100, 500, 2_500, 10_000]
    ) -> CampaignPlan {
        CampaignPlan(
            id: id,
            image: Digest((0..<32).map { UInt8($0 &* 7 &+ 11) })!,
            content: Digest((0..<32).map { UInt8($0 &* 5 &+ 3) })!,
            version: version,
            selection: selection,
            stages: StagePlan(stages.map { Share(basisPoints: $0)! })!,
            failuresAllowed: Share(basisPoints: 200)!,
            window: nil,
            retries: retries
        )
    }

    static let springPlan = plan(spring, FirmwareVersion(2, 1, 0))

    /// How far the campaigns are, as a controller would have counted them.
    static var progress: [(campaign: CampaignID, progress: Progress)] {
        [
            (spring, 2, 1_000, counts(156, failed: 4)),
            (CampaignID("meter-fix")!, 0, 80, counts(5)),
            (CampaignID("winter-lights")!, 0, 1_000, counts(0, failed: 3)),
            (CampaignID("first-lights")!, 0, 1, counts(1)),
        ].map { id, stage, population, counts in
            let count = DeviceCount(population)!
            let moment = SystemTime.moment
            return (id, Progress(stage: stage, population: count, counts: counts, at: moment)!)
        }
    }

    /// The campaigns, of which only the first moves.
    static var campaigns: [Campaign] {
        let all = CampaignPhase.Input.start(DeviceCount(1_000)!)
        let roof = Selection(hardware: meter, group: groups[1])
        return [
            campaign(springPlan, [all, .counted(counts(10)), .counted(counts(50))]),
            campaign(
                plan(
                    CampaignID("meter-fix")!,
                    FirmwareVersion(1, 4, 2),
                    for: roof,
                    stages: [1_000, 10_000]
                ),
                [.start(DeviceCount(80)!), .pause]
            ),
            campaign(
                plan(CampaignID("winter-lights")!, FirmwareVersion(2, 0, 0)),
                [all, .counted(counts(0, failed: 3))]
            ),
            campaign(plan(CampaignID("garage-trial")!, FirmwareVersion(2, 2, 0)), []),
            campaign(
                plan(CampaignID("first-lights")!, FirmwareVersion(1, 9, 0), stages: [10_000]),
                [.start(DeviceCount(1)!), .counted(counts(1))]
            ),
            campaign(plan(CampaignID(longName)!, FirmwareVersion(10, 20, 30)), [.stop]),
        ]
    }

    private static func campaign(_ plan: CampaignPlan, _ inputs: [CampaignPhase.Input]) -> Campaign
    {
        var campaign = Campaign(plan)
        for input in inputs { campaign.handle(input) }
        return campaign
    }

    private static func counts(_ succeeded: Int, failed: Int = 0) -> Tally.Counts {
        var counts = Tally.Counts()
        counts.given = DeviceCount(succeeded + failed)!
        counts.succeeded = DeviceCount(succeeded)!
        counts.failed = DeviceCount(failed)!
        counts.eligible = DeviceCount(1_000 - succeeded - failed)!
        return counts
    }

    /// A device before anything has happened to it: 1,000 lamps, then 240 meters.
    static func device(_ number: Int) -> DeviceRecord {
        let digits = String(number + 1)
        let short = String(repeating: "0", count: 4 - digits.count) + digits
        let name = number == 999 ? longName : (number < 1_000 ? "lamp-" : "meter-") + short
        return DeviceRecord(
            id: DeviceID(name)!,
            hardware: number < 1_000 ? lamp : meter,
            group: groups[number % 3],
            version: number < 1_000 ? FirmwareVersion(2, 0, 0) : FirmwareVersion(1, 4, 1)
        )
    }

    static func gateway(of number: Int) -> GatewayID { gateways[number % (gateways.count - 1)] }
}
