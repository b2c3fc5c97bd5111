import BLEOTA
import BlueZ

/// The bleota service of a device, as discovered by the central (spec/bleota.md, section 10).
struct UpdateService: Sendable {
    static let uuid = BluetoothUUID(GATTIdentifiers.service)!

    let info: RemoteCharacteristic
    let control: RemoteCharacteristic
    let data: RemoteCharacteristic
    /// `nil` for a device that accepts data only without response.
    let dataWithResponse: RemoteCharacteristic?
    /// `nil` for a device that sends no images.
    let dataOut: RemoteCharacteristic?
    /// `nil` for a device that has no L2CAP channels.
    let l2cap: RemoteCharacteristic?

    /// - Throws: ``BlueZError/missing(_:)`` if the device has no bleota service, or if the
    ///   service lacks a mandatory characteristic or property.
    init(of device: Device) async throws(BlueZError) {
        let service: RemoteService
        do throws(BlueZError) {
            service = try await device.service(Self.uuid)
        } catch {
            guard case .missing = error else { throw error }
            throw .missing("bleota service")
        }
        func find(
            _ name: String,
            _ text: String,
            _ abilities: [Ability]
        ) async throws(BlueZError) -> RemoteCharacteristic {
            let uuid = BluetoothUUID(text)!
            let found: RemoteCharacteristic
            do throws(BlueZError) {
                found = try await service.characteristic(uuid)
            } catch {
                guard case .missing = error else { throw error }
                throw .missing("characteristic \(name) (\(uuid)) in its bleota service")
            }
            for ability in abilities where !ability.isGiven(to: found) {
                throw .missing("\(ability.rawValue) for its characteristic \(name) (\(uuid))")
            }
            return found
        }
        info = try await find("Info", GATTIdentifiers.info, [.read])
        control = try await find("Control", GATTIdentifiers.control, [.write, .notification])
        data = try await find("Data", GATTIdentifiers.data, [.command])
        //= GATT-1: A central MUST accept a service that lacks DataWithResponse, DataOut or both.
        func findOptional(_ text: String, _ ability: Ability) -> RemoteCharacteristic? {
            service.characteristicIfPresent(BluetoothUUID(text)!)
                .flatMap { ability.isGiven(to: $0) ? $0 : nil }
        }
        dataWithResponse = findOptional(GATTIdentifiers.dataWithResponse, .write)
        dataOut = findOptional(GATTIdentifiers.dataOut, .notification)
        l2cap = findOptional(GATTIdentifiers.l2cap, .read)
    }

    /// The paths of the objects whose removal ends the link.
    var paths: Set<ObjectPath> {
        Set([info, control, data, dataWithResponse, dataOut, l2cap].compactMap { $0?.path })
    }

    /// A required property of a characteristic, worded for an error message.
    private enum Ability: String {
        case read = "reading"
        case write = "writing with response"
        case command = "writing without response"
        case notification = "notifications"

        func isGiven(to characteristic: RemoteCharacteristic) -> Bool {
            let flags = characteristic.flags
            return switch self {
            case .read: flags.contains("read")
            case .write: flags.contains("write")
            case .command: flags.contains("write-without-response")
            case .notification: flags.contains("notify") || flags.contains("indicate")
            }
        }
    }
}
