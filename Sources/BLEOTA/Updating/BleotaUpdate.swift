/// bleota's own protocol.
package struct BleotaUpdate: UpdateProtocol {
    package let name = "bleota"
    package let services = [GATTIdentifiers.service]
    package let abilities: UpdateAbilities = .confirmation

    private let isCompressed: Bool

    /// - Parameter isCompressed: whether to offer a compressed variant of a file that is not a
    ///   bundle.
    package init(isCompressed: Bool = true) { self.isCompressed = isCompressed }

    package func prepare(
        _ file: FirmwareFile,
        options: UpdateOptions
    ) throws(FirmwareError) -> any PreparedUpdate {
        Prepared(firmware: try Firmware(file, isCompressed: isCompressed), options: options.push)
    }

    private struct Prepared: PreparedUpdate {
        let firmware: Firmware
        let options: PushOptions

        func push(
            to device: any UpdateDevice,
            onUpdate: @escaping @Sendable (PushUpdate) -> Void
        ) async throws(TransferError) -> TransferReport {
            try await firmware.push(through: device.connector, options: options, onUpdate: onUpdate)
        }
    }
}
