import Glibc
import SystemPackage

@testable import BLEOTA

/// A Unix stream socket that listens, as an emulator's does that offers a UART.
final class RawStreamListener: Sendable {
    private let descriptor: Int32

    init(at path: FilePath) {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        let address = try? SocketAddress(path)
        precondition(address?.bind(descriptor) == nil && listen(descriptor, 4) == 0, "\(errno)")
    }

    /// The next peer, as an open line.
    func accept() -> SerialPort {
        let peer = Glibc.accept(descriptor, nil, nil)
        precondition(peer >= 0 && SocketCalls.setNonBlockingAndCloseOnExec(peer), "\(errno)")
        return SerialPort(descriptor: peer, baudRate: nil)
    }

    func close() { _ = Glibc.close(descriptor) }
}
