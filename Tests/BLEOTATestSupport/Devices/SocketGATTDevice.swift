package import BLEOTA
import Foundation
import Synchronization

/// A device of Tests/Devices, with GATT as lines of JSON over its socket.
package final class SocketGATTDevice: GATTDevice, UpdateDevice {
    private struct Addresses {
        var first: String?
        var last: String?
        var connection: SocketGATTConnection?
    }

    package let description: String
    private let socketPath: String
    private let addresses = Mutex(Addresses())
    private let connectionCountCell = Mutex(0)

    package init(at socketPath: String, description: String = "device") {
        self.socketPath = socketPath
        self.description = description
    }

    package convenience init(_ device: PythonDevice) { self.init(at: device.socketPath) }

    deinit { lastConnection?.close(.local) }

    package var gatt: any GATTDevice { self }

    package var connector: any Connector {
        preconditionFailure("a device of Tests/Devices does not speak bleota's protocol")
    }

    /// How many connections were made.
    package var connectionCount: Int { connectionCountCell.withLock { $0 } }

    /// The connection that was made last.
    package var lastConnection: SocketGATTConnection? { addresses.withLock { $0.connection } }

    package func connect(
        to form: GATTDeviceForm
    ) async throws(TransferError) -> any GATTConnection {
        addresses.withLock { $0.connection }?.close(.local)
        let connection: SocketGATTConnection
        do {
            connection = try await SocketGATTConnection(to: socketPath)
        } catch {
            throw TransferError(.nobodyThere("Nobody is at \(socketPath)."))
        }
        let isRight = addresses.withLock { addresses in
            guard Self.isThere(connection, form, addresses) else { return false }
            addresses.first = addresses.first ?? connection.address
            addresses.last = connection.address
            addresses.connection = connection
            return true
        }
        guard isRight else {
            connection.close(.local)
            throw TransferError(.nobodyThere("The device is not there in that form."))
        }
        connectionCountCell.withLock { $0 += 1 }
        return connection
    }

    private static func isThere(
        _ connection: SocketGATTConnection,
        _ form: GATTDeviceForm,
        _ addresses: Addresses
    ) -> Bool {
        guard let first = addresses.first else { return true }
        switch form {
        case .current: return connection.address == addresses.last
        case .application: return connection.address == first
        case .bootloader(let services):
            let isAddress = [first, Self.address(after: first)].contains(connection.address)
            return isAddress && services.contains { connection.hasService($0) }
        }
    }

    /// The address whose last byte is larger by 1.
    private static func address(after address: String) -> String {
        let last = UInt8(address.suffix(2), radix: 16) ?? 0
        let digits = String(last &+ 1, radix: 16, uppercase: true)
        return address.dropLast(2) + (digits.count == 1 ? "0" + digits : digits)
    }

    package func awaitEnd() async {
        await lastConnection?.awaitEnd()
    }
}
