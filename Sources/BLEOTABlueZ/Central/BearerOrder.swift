import BlueZ

/// Whether a link preserves the order of data sent without response; a link with several EATT
/// bearers does not.
enum BearerOrder {
    private static let genericAttribute = BluetoothUUID(0x1801)
    private static let clientFeatures = BluetoothUUID(0x2B29)
    private static let serverFeatures = BluetoothUUID(0x2B3A)

    /// Whether order is preserved, judged by the features that both peers announce. If the daemon
    /// hides them, the answer depends on its release.
    static func isKept(by device: Device) async -> Bool {
        guard let service = device.services.first(where: { $0.uuid == genericAttribute }),
            let client = await read(clientFeatures, of: service),
            let server = await read(serverFeatures, of: service)
        else {
            // BlueZ 5.67 is the first release that uses a single bearer by default.
            return device.adapter.hasDaemon(atLeast: 5, 67)
        }
        let usesEnhancedBearers = client & 0b10 != 0 && server & 0b1 != 0
        return !usesEnhancedBearers
    }

    private static func read(_ uuid: BluetoothUUID, of service: RemoteService) async -> UInt8? {
        guard let characteristic = service.characteristics.first(where: { $0.uuid == uuid }) else {
            return nil
        }
        return (try? await characteristic.read())?.first
    }
}
