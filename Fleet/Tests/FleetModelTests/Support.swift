@testable import FleetModel

/// Values for tests, which are valid.
enum Sample {
    static let gateways = [GatewayID("east")!, GatewayID("west")!]
    static let lamp = HardwareName("lamp")!
    static let old = FirmwareVersion(2, 0, 0)
    static let new = FirmwareVersion(2, 1, 0)
    static let start = at(0)
    static let spring = CampaignID("spring")!

    static func at(_ seconds: UInt64) -> Moment { Moment(milliseconds: seconds * 1_000)! }
    static func count(_ number: Int) -> DeviceCount { DeviceCount(number)! }

    static func device(_ number: Int) -> DeviceRecord {
        DeviceRecord(id: DeviceID("device-\(number)")!, hardware: lamp, version: old)
    }

    /// - Parameter eligible: more than any stage has.
    static func counts(
        given: Int,
        succeeded: Int = 0,
        failed: Int = 0,
        eligible: Int = 1_000
    ) -> Tally.Counts {
        var counts = Tally.Counts()
        counts.given = count(given)
        counts.succeeded = count(succeeded)
        counts.failed = count(failed)
        counts.eligible = count(eligible)
        return counts
    }

    static func plan(
        stages: [UInt16] = [1_000, 10_000],
        failuresAllowed: UInt16 = 1_000,
        window: DayWindow? = nil,
        attempts: UInt8 = 2,
        pause: UInt16 = 10,
        receipts: ReceiptRule = .optional
    ) -> CampaignPlan {
        CampaignPlan(
            id: spring,
            image: Digest([UInt8](0..<32))!,
            content: Digest([UInt8](32..<64))!,
            version: new,
            selection: Selection(hardware: lamp),
            stages: StagePlan(stages.map { Share(basisPoints: $0)! })!,
            failuresAllowed: Share(basisPoints: failuresAllowed)!,
            window: window,
            retries: RetryPolicy(
                attemptCount: attempts,
                firstPause: .seconds(pause),
                longestPause: .seconds(3 * pause)
            )!,
            receipts: receipts
        )
    }
}
