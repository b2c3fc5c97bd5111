import FleetModel
import FleetTestSupport

/// Values for tests, which are valid.
enum Sample {
    static let lamp = HardwareName("lamp")!
    static let east = GatewayID("east")!
    static let west = GatewayID("west")!
    static let spring = CampaignID("spring")!
    static let old = FirmwareVersion(1, 0, 0)
    static let new = FirmwareVersion(2, 0, 0)
    static let digest = Digest([UInt8](repeating: 7, count: 32))!
    /// The image in the bundle.
    static let content = SignedDevice.content

    static func devices(_ count: Int) -> [DeviceID] {
        (0..<count).map { DeviceID("lamp-\($0)")! }
    }

    static func plan(
        _ id: CampaignID = spring,
        version: FirmwareVersion = new,
        stages: [UInt16] = [1_000, 10_000],
        failuresAllowed: UInt16 = 0,
        attempts: UInt8 = 1,
        receipts: ReceiptRule = .optional
    ) -> CampaignPlan {
        CampaignPlan(
            id: id,
            image: digest,
            content: content,
            version: version,
            selection: Selection(hardware: lamp),
            stages: StagePlan(stages.map { Share(basisPoints: $0)! })!,
            failuresAllowed: Share(basisPoints: failuresAllowed)!,
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
