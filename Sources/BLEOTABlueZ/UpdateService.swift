import BLEOTA
import BlueZ

/// The service of a device that runs bleota, as the central finds it (spec/bleota.md, section 10).
struct UpdateService: Sendable {
    static let uuid = BluetoothUUID(GATTIdentifiers.service)!

    let info: RemoteCharacteristic
    let control: RemoteCharacteristic
    let data: RemoteCharacteristic
    let dataWithResponse: RemoteCharacteristic
    let dataOut: RemoteCharacteristic

    /// - Throws: ``BlueZError/objectGone(_:)`` when the device has no such service.
    init(of device: Device) async throws(BlueZError) {
        let service: RemoteService
        do throws(BlueZError) {
            service = try await device.service(Self.uuid)
        } catch {
            guard case .objectGone = error else { throw error }
            throw .objectGone("The bleota service of \(device.name ?? "the device")")
        }
        func find(_ text: String) async throws(BlueZError) -> RemoteCharacteristic {
            try await service.characteristic(BluetoothUUID(text)!)
        }
        info = try await find(GATTIdentifiers.info)
        control = try await find(GATTIdentifiers.control)
        data = try await find(GATTIdentifiers.data)
        dataWithResponse = try await find(GATTIdentifiers.dataWithResponse)
        dataOut = try await find(GATTIdentifiers.dataOut)
    }

    /// The objects whose end is the end of the link.
    var paths: Set<ObjectPath> {
        Set([info, control, data, dataWithResponse, dataOut].map(\.path))
    }
}
