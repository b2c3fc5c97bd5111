/// A device to which GATT connections are established, and established again after a loss.
package protocol GATTDevice: Sendable {
    /// Connects to the device and discovers its services. Closes the previous connection first.
    ///
    /// - Throws: a ``TransferError`` with the code `cannotConnect` or `cancelled`.
    func connect(to form: GATTDeviceForm) async throws(TransferError) -> any GATTConnection

    /// Closes the latest connection and waits until it is down, so that others can connect to the
    /// device.
    func awaitEnd() async
}

/// The form of a device to connect to. Some devices restart into a bootloader that has another
/// address and other services.
package enum GATTDeviceForm: Sendable, Hashable {
    /// The form in which the device was last connected.
    case current
    /// The bootloader: a device that advertises one of these services from the device's address or
    /// from the address after it.
    case bootloader(services: [String])
    /// The application, at the address of the first connection.
    case application
}
