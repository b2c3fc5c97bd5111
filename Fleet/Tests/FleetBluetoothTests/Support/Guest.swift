import FleetModel
import Glibc

/// The guest in which these tests run, with three emulated controllers (scripts/test-bluez.sh).
enum Guest {
    /// An adapter of the guest, and the device that advertises on it.
    struct Adapter: Sendable {
        let name: String
        let device: DeviceID
    }

    static let isHere = variable("BLEOTA_GUEST") == "fleet"
    /// The adapter of the gateway.
    static let central = "hci0"
    static let kitchen = Adapter(name: "hci1", device: DeviceID("00AA01010001")!)
    static let cellar = Adapter(name: "hci2", device: DeviceID("00AA01020002")!)

    /// An emulated machine beside other work is slow, and pushes 64 KiB in a minute or two.
    static let patience = Duration.seconds(300)

    /// `bleota`, as devices and operators use it.
    static let tool = variable("BLEOTA_TOOL") ?? "bleota"

    private static func variable(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }
}
