import FleetModel
import FleetStore

/// The fleet that is measured: each device is heard by two gateways, one of them better.
enum Sample {
    static let gatewayCount = 200
    /// 200 of them have 10,000 devices.
    static let places: UInt8 = 50
    static let hardware = HardwareName("acme/lamp")!
    static let group = GroupName("hall")!
    static let old = FirmwareVersion(1, 0, 0)
    static let new = FirmwareVersion(2, 0, 0)
    static let campaign = CampaignID("spring")!
    /// Devices that wait for an attempt when the controller starts.
    static let waitingMax = 3_600

    /// As long as an address with a word before it.
    static func device(_ number: Int) -> DeviceID {
        let digits = "\(number)"
        return DeviceID("device-" + String(repeating: "0", count: 12 - digits.count) + digits)!
    }

    static func gateway(_ number: Int) -> GatewayID { GatewayID("gateway-\(number)")! }

    static func gateways(of device: Int) -> [(gateway: GatewayID, dBm: Int)] {
        [(gateway(device % gatewayCount), -60), (gateway((device + 7) % gatewayCount), -80)]
    }

    static var plan: CampaignPlan {
        CampaignPlan(
            id: campaign,
            image: Digest([UInt8](repeating: 7, count: 32))!,
            content: Digest([UInt8](repeating: 8, count: 32))!,
            version: new,
            selection: Selection(hardware: hardware),
            stages: StagePlan([.whole])!,
            failuresAllowed: .whole,
            window: nil,
            retries: RetryPolicy(
                attemptCount: 3,
                firstPause: .seconds(60),
                longestPause: .seconds(3_600)
            )!
        )
    }

    static func record(_ number: Int, of count: Int) -> DeviceRecord {
        var record = DeviceRecord(
            id: device(number),
            hardware: hardware,
            group: group,
            version: old
        )
        // They are spread, and at most a tenth of all.
        let step = max(10, count / waitingMax)
        if number % step == 0 {
            let later = SystemTime.moment + Span(milliseconds: 40 * 86_400_000)
            _ = record.assign(campaign, at: later)
        }
        return record
    }

    static func sighting(dBm: Int) -> Sighting {
        Sighting(
            hardware: hardware,
            group: group,
            version: old,
            strength: Strength(dBm: dBm)!,
            at: SystemTime.moment
        )
    }
}
