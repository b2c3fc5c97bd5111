import BLEOTA

/// A connection to a device that offers Espressif's OTA.
struct ESPLink {
    let connection: any GATTConnection
    private let firmware: GATTCharacteristic
    private let command: GATTCharacteristic

    /// Finds the characteristics, and subscribes to both.
    static func open(_ connection: any GATTConnection) async throws(TransferError) -> ESPLink {
        do throws(GATTError) {
            return try await ESPLink(subscribingOn: connection)
        } catch {
            connection.close(.local)
            throw TransferError(gatt: error)
        }
    }

    private init(subscribingOn connection: any GATTConnection) async throws(GATTError) {
        self.connection = connection
        guard connection.hasService(ESPServices.service) else {
            throw .missing("Espressif's OTA service")
        }
        firmware = try Self.characteristic(ESPServices.firmware, "firmware", of: connection)
        command = try Self.characteristic(ESPServices.command, "commands", of: connection)
        try await connection.subscribe(to: firmware)
        try await connection.subscribe(to: command)
    }

    private static func characteristic(
        _ uuid: String,
        _ purpose: String,
        of connection: any GATTConnection
    ) throws(GATTError) -> GATTCharacteristic {
        guard let found = connection.characteristic(uuid, of: ESPServices.service),
            !found.properties.isDisjoint(with: [.write, .command])
        else {
            throw .missing("a characteristic of Espressif's OTA service that accepts \(purpose)")
        }
        return found
    }

    var abilities: ESPTransfer.LinkAbilities {
        ESPTransfer.LinkAbilities(
            packetByteCountMax: connection.attMTU - 3,
            takesCommands: firmware.properties.contains(.command),
            takesRequests: firmware.properties.contains(.write)
        )
    }

    /// Writes a command to the device.
    func send(command value: [UInt8]) async throws(TransferError) {
        try await write(value, to: command, isRequest: true)
    }

    /// Writes a packet of firmware.
    func send(packet value: [UInt8], isRequest: Bool) async throws(TransferError) {
        try await write(value, to: firmware, isRequest: isRequest)
    }

    /// - Parameter isRequest: whether to wait for the device to acknowledge the value, if the
    ///   characteristic supports that.
    private func write(
        _ value: [UInt8],
        to characteristic: GATTCharacteristic,
        isRequest: Bool
    ) async throws(TransferError) {
        do throws(GATTError) {
            if isRequest, characteristic.properties.contains(.write) {
                try await connection.write(value, to: characteristic)
            } else {
                try await connection.command(value, to: characteristic)
            }
        } catch {
            throw TransferError(gatt: error)
        }
    }

    /// The values that the device has sent; empty if none arrives in time.
    func receive(
        within limit: Duration
    ) async throws(TransferError) -> [(value: [UInt8], channel: ESPMessage.Channel)] {
        let connection = connection
        let values = try await Waiting.first(within: limit) { () throws(TransferError) in
            do throws(GATTError) {
                return try await connection.receive()
            } catch {
                throw TransferError(gatt: error)
            }
        }
        return (values ?? []).compactMap { notification in
            switch notification.characteristic {
            case ESPServices.firmware: (notification.value, .firmware)
            case ESPServices.command: (notification.value, .command)
            default: nil
            }
        }
    }

    /// Waits at most this long for the device to end the connection, and then closes it.
    func awaitEnd(within limit: Duration) async {
        let connection = connection
        _ = try? await Waiting.first(within: limit) { () async throws(TransferError) -> Bool in
            while (try? await connection.receive()) != nil {}
            return true
        }
        connection.close(.local)
    }
}
