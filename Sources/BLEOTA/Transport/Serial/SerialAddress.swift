public import SystemPackage

/// Where a serial line is, and how fast.
public struct SerialAddress: Sendable, Hashable {
    /// A terminal device, such as /dev/ttyUSB0, or a Unix stream socket, as emulators offer one
    /// for a UART.
    public let path: FilePath
    /// The speed of a device; ``BaudRate/standard`` if `nil`. A socket has none.
    public let baudRate: BaudRate?

    /// The line at a path.
    public init(path: FilePath, baudRate: BaudRate? = nil) {
        self.path = path
        self.baudRate = baudRate
    }
}
