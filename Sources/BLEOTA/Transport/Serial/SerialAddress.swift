package import SystemPackage

/// The path and the speed of a serial line.
package struct SerialAddress: Sendable, Hashable {
    /// A terminal device, such as /dev/ttyUSB0, or a Unix stream socket, which emulators offer in
    /// place of a UART.
    package let path: FilePath
    /// The speed of a device, or `nil` for ``BaudRate/standard``. A socket has no speed.
    package let baudRate: BaudRate?

    /// Creates the address of the line at `path`.
    package init(path: FilePath, baudRate: BaudRate? = nil) {
        self.path = path
        self.baudRate = baudRate
    }
}
