package import BLEOTA
import BLEOTACore

/// Espressif's OTA over Bluetooth LE: the protocol of the components `ble_ota` and `ble_ota_raw`,
/// and of ESP-AT.
package struct ESPOTA: UpdateProtocol {
    static let name = "esp-ota"

    package var name: String { Self.name }
    package let services = [ESPServices.service]
    package let abilities: UpdateAbilities = []

    package init() {}

    package func prepare(
        _ file: FirmwareFile,
        options: UpdateOptions
    ) throws(FirmwareError) -> any PreparedUpdate {
        ESPUpdate(image: try ESPImage(file), options: options.push)
    }
}

/// An image that is prepared for a push.
struct ESPUpdate: PreparedUpdate {
    let image: ESPImage
    let options: PushOptions

    func push(
        to device: any UpdateDevice,
        onUpdate: @escaping @Sendable (PushUpdate) -> Void
    ) async throws(TransferError) -> TransferReport {
        let order = PushOrder(onUpdate: onUpdate)
        let gatt = device.gatt
        let silenceLimit = Microseconds(MonotonicClock.microseconds(options.silenceLimit))
        var run = ESPPush(image, silenceLimit: silenceLimit, order: order)
        let report = try await Reconnection.run(
            &run,
            firstLimit: options.connectionLimit,
            limit: options.reconnectionLimit
        ) { () throws(TransferError) in
            try await ESPLink.open(gatt.connect(to: .current))
        }
        order.verified(report)
        return report
    }
}
