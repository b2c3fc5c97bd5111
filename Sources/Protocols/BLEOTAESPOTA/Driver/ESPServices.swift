/// The service and its characteristics. Source: the README of esp-iot-solution's example `ble_ota`.
enum ESPServices {
    static let service = "00008018-0000-1000-8000-00805f9b34fb"
    static let firmware = "00008020-0000-1000-8000-00805f9b34fb"
    static let command = "00008022-0000-1000-8000-00805f9b34fb"
}
