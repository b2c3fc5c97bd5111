// Looks for a Bluetooth device that offers a service, connects to it, and reads a characteristic:
// here the level of its battery. The product BlueZ knows nothing of firmware.
//
//     swift run ReadDevice [NAME]
import BlueZ
import Glibc

@main struct ReadDevice {
    static func main() async {
        do {
            try await readBatteryLevel(ofDeviceNamed: CommandLine.arguments.dropFirst().first)
        } catch {
            // Such as: no daemon runs, no adapter is on, the device went out of range.
            print(error)
            exit(1)
        }
    }

    static func readBatteryLevel(ofDeviceNamed name: String?) async throws {
        // README: battery
        let battery = BluetoothUUID(0x180f)
        let level = BluetoothUUID(0x2a19)
        let bluetooth = try await BlueZClient.open()
        let adapter = try bluetooth.adapter()
        // The scan ends when the loop is left.
        for await found in try await adapter.scan(ScanFilter(services: [battery])) {
            print("\(found.device.name ?? "a device without a name"), \(found.rssi ?? 0) dBm")
            if let name, found.device.name != name { continue }
            try await found.device.connect()
            let value = try await found.device.service(battery).characteristic(level).read()
            print("battery: \(value.first ?? 0) %")
            return try await found.device.disconnect()
        }
        // end
    }
}
