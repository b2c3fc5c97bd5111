package import BLEOTA
import BLEOTACore

/// Nordic's DFU, Secure and Legacy: the protocols of the bootloaders in the nRF5 SDK, of Adafruit's
/// bootloader and of InfiniTime. The package determines which of the two a device has to speak.
package struct NordicDFU: UpdateProtocol {
    static let name = "nordic-dfu"

    package var name: String { Self.name }
    package let services = [DFUServices.Secure.service, DFUServices.Legacy.service]
    package let abilities: UpdateAbilities = []

    package init() {}

    package func prepare(
        _ file: FirmwareFile,
        options: UpdateOptions
    ) throws(FirmwareError) -> any PreparedUpdate {
        DFUUpdate(package: try DFUPackage(file), options: options.push)
    }
}

/// A package that is prepared for a push.
struct DFUUpdate: PreparedUpdate {
    let package: DFUPackage
    let options: PushOptions

    func push(
        to device: any UpdateDevice,
        onUpdate: @escaping @Sendable (PushUpdate) -> Void
    ) async throws(TransferError) -> TransferReport {
        let silenceLimit = Microseconds(MonotonicClock.microseconds(options.silenceLimit))
        return switch package.format {
        case .secure:
            try await push(to: device.gatt, onUpdate) { SecureDFU($0, silenceLimit: silenceLimit) }
        case .legacy:
            try await push(to: device.gatt, onUpdate) { LegacyDFU($0, silenceLimit: silenceLimit) }
        }
    }

    private func push<Machine: DFUMachine & ~Copyable>(
        to device: any GATTDevice,
        _ onUpdate: @escaping @Sendable (PushUpdate) -> Void,
        machine: @escaping (DFUPart) -> Machine
    ) async throws(TransferError) -> TransferReport {
        let order = PushOrder(onUpdate: onUpdate)
        let connector = DFUConnector(device, format: package.format)
        var run = DFUPush(package, through: connector, order: order, machine: machine)
        let report = try await Reconnection.run(
            &run,
            firstLimit: options.connectionLimit,
            limit: options.reconnectionLimit
        ) { () throws(TransferError) in
            try await connector.connect()
        }
        order.verified(report)
        return report
    }
}
