import FleetGateway
import FleetModel

/// Values for tests, which are valid.
enum Sample {
    static let device = DeviceID("lamp-1")!
    static let east = GatewayID("east")!
    static let west = GatewayID("west")!
    static let campaign = CampaignID("spring")!
    static let old = FirmwareVersion(1, 0, 0)
    static let new = FirmwareVersion(2, 0, 0)
    static let digest = Digest([UInt8](repeating: 7, count: 32))!

    static func order(_ turn: UInt32, of image: Digest = digest) -> Order {
        Order(campaign: campaign, turn: Turn(turn), image: image, version: new)
    }

    static func report(_ turn: UInt32, _ news: Report.News) -> Report {
        Report(campaign: campaign, turn: Turn(turn), news)
    }

    static func working(_ stored: UInt64) -> Report.News {
        .working(storedByteCount: stored, byteCount: 100)
    }

    static func heard(
        hardware: String = "lamp",
        group: String? = nil,
        version: FirmwareVersion = old,
        dBm: Int = -60
    ) -> HeardDevice {
        HeardDevice(
            id: device,
            hardware: HardwareName(hardware)!,
            group: group.flatMap { GroupName($0) },
            version: version,
            strength: Strength(dBm: dBm)!
        )
    }

    static func at(_ milliseconds: UInt64) -> Uptime { Uptime(milliseconds: milliseconds) }
}
