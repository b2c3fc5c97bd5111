package import SystemPackage

/// Where a serial line is, and how fast.
package struct SerialAddress: Sendable, Hashable {
    /// A terminal device, such as /dev/ttyUSB0, or a Unix stream socket, as emulators offer one
    /// for a UART.
    package let path: FilePath
    /// The speed of a device; ``BaudRate/standard`` if `nil`. A socket has none.
    package let baudRate: BaudRate?

    /// The line at a path.
    package init(path: FilePath, baudRate: BaudRate? = nil) {
        self.path = path
        self.baudRate = baudRate
    }
}
