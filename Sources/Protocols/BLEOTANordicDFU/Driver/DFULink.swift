import BLEOTA

/// A connection to a device that speaks Secure DFU or Legacy DFU.
struct DFULink {
    /// The kind of program that the device runs.
    enum Role: Hashable {
        /// Something that takes firmware; usually a bootloader.
        case bootloader
        /// An application that has to jump to its bootloader first.
        case application
    }

    let role: Role
    let connection: any GATTConnection
    /// The characteristic for requests; in an application, the one that takes the request to jump.
    let controlPoint: GATTCharacteristic
    let packet: GATTCharacteristic

    /// The maximum length of a value in a write command.
    var packetByteCountMax: Int { connection.attMTU - 3 }

    /// Writes a request, and returns when the device has acknowledged it.
    func request(_ value: [UInt8]) async throws(TransferError) {
        do throws(GATTError) {
            try await connection.write(value, to: controlPoint)
        } catch {
            throw TransferError(dfu: error)
        }
    }

    /// Writes a packet.
    func send(_ value: [UInt8]) async throws(TransferError) {
        do throws(GATTError) {
            try await connection.command(value, to: packet)
        } catch {
            throw TransferError(dfu: error)
        }
    }

    /// The values that the control point has sent; empty if none arrives in time.
    func receive(within limit: Duration) async throws(TransferError) -> [[UInt8]] {
        let (connection, uuid) = (connection, controlPoint.uuid)
        let values = try await Waiting.first(within: limit) { () throws(TransferError) in
            do throws(GATTError) {
                return try await connection.receive()
            } catch {
                throw TransferError(dfu: error)
            }
        }
        return (values ?? []).filter { $0.characteristic == uuid }.map(\.value)
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
