import FleetModel
import FleetTestSupport

/// Values for tests, which are valid.
enum Sample {
    static let lamp = DeviceID("lamp")!
    static let hardware = HardwareName("lamp")!
    static let spring = CampaignID("spring")!
    static let old = FirmwareVersion(1, 0, 0)
    static let new = FirmwareVersion(2, 0, 0)
    static let digest = Digest([UInt8](repeating: 7, count: 32))!
    /// The image in the bundle.
    static let content = SignedDevice.content
    static let start = Moment(milliseconds: 0)!

    static let sighting = Sighting(
        hardware: hardware,
        version: old,
        strength: Strength(dBm: -60)!,
        at: start
    )
    static let status = GatewayStatus(places: 8, program: old, beat: 1, at: start)!

    static func record(_ id: DeviceID) -> DeviceRecord {
        DeviceRecord(id: id, hardware: hardware, version: old)
    }

    static func order(_ turn: UInt32) -> Order {
        Order(campaign: spring, turn: Turn(turn), image: digest, version: new)
    }

    static func report(_ turn: UInt32, _ news: Report.News) -> Report {
        Report(campaign: spring, turn: Turn(turn), news)
    }

    static func plan(
        _ id: CampaignID = spring,
        image: Digest = digest,
        failuresAllowed: Share = Share(basisPoints: 0)!,
        attempts: UInt8 = 1,
        receipts: ReceiptRule = .optional
    ) -> CampaignPlan {
        CampaignPlan(
            id: id,
            image: image,
            content: content,
            version: new,
            selection: Selection(hardware: hardware),
            stages: StagePlan([Share.whole])!,
            failuresAllowed: failuresAllowed,
            window: nil,
            retries: RetryPolicy(
                attemptCount: attempts,
                firstPause: Span(milliseconds: 50),
                longestPause: Span(milliseconds: 100)
            )!,
            receipts: receipts
        )
    }
}
