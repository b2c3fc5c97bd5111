import DBus
import Glibc

/// A socket that the daemon got from us, and uses as it does: it never waits.
final class DaemonSocket: Sendable {
    private let descriptor: BusDescriptor

    init(_ descriptor: BusDescriptor) { self.descriptor = descriptor }

    /// False if there was no room.
    func send(_ message: [UInt8]) -> Bool {
        descriptor.withNumber { number in
            Glibc.send(number, message, message.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL)) >= 0
        } ?? false
    }

    func takeOne() -> [UInt8]? {
        let message = descriptor.withNumber { number -> [UInt8]? in
            var buffer = [UInt8](repeating: 0, count: 1024)
            let count = recv(number, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            return count > 0 ? Array(buffer.prefix(count)) : nil
        }
        return message ?? nil
    }

    func close() { descriptor.close() }
}
