import DBus
import Glibc

/// The daemon's end of a socket for write commands.
final class FakeSocket: Sendable {
    private let descriptor: BusDescriptor

    /// - Returns: this end, and the one to give away.
    static func makePair() -> (FakeSocket, BusDescriptor) {
        var ends: [CInt] = [-1, -1]
        let kind = Int32(
            SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        )
        precondition(socketpair(AF_UNIX, kind, 0, &ends) == 0, "no sockets: \(errno)")
        return (FakeSocket(ends[0]), BusDescriptor(owning: ends[1]))
    }

    private init(_ number: CInt) { descriptor = BusDescriptor(owning: number) }

    /// The messages that are there.
    func take(atMost countMax: Int = .max) -> [[UInt8]] {
        var messages: [[UInt8]] = []
        while messages.count < countMax, let message = takeOne() { messages.append(message) }
        return messages
    }

    private func takeOne() -> [UInt8]? {
        let message = descriptor.withNumber { number -> [UInt8]? in
            var buffer = [UInt8](repeating: 0, count: 1024)
            let count = recv(number, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            return count > 0 ? Array(buffer.prefix(count)) : nil
        }
        return message ?? nil
    }

    /// Whether the other end is closed.
    var isHungUp: Bool {
        descriptor.withNumber { number in
            var request = pollfd(fd: number, events: 0, revents: 0)
            return poll(&request, 1, 0) == 1 && request.revents & Int16(POLLHUP) != 0
        } ?? true
    }

    /// The other end gets an error.
    func close() { descriptor.close() }
}
