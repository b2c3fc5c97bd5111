import DBus
import Glibc

/// A socket to the daemon, each message of which becomes a write command.
///
/// It takes everything, whatever the radio does: the daemon queues without bound. Who sends more
/// than a little has to hold back by himself.
public final class WriteSocket: Sendable {
    private let descriptor: BusDescriptor
    private let bus: BusConnection
    /// The ATT_MTU when it was opened, 23 to 517.
    public let attMTU: Int
    /// The longest value it carries: ATT_MTU − 3, and no more than 512 bytes.
    public var byteCountMax: Int { min(attMTU - 3, 512) }

    init(_ descriptor: BusDescriptor, attMTU: Int, _ bus: BusConnection) {
        self.descriptor = descriptor
        self.bus = bus
        self.attMTU = min(max(attMTU, 23), 517)
    }

    /// Hands a value to the daemon, and waits while that is too busy to take it.
    ///
    /// - Parameter bytes: 1 to ``byteCountMax`` bytes: an empty message would end the socket, and
    ///   the daemon cuts a longer one without a word.
    /// - Throws: ``BlueZError/disconnected`` when the link is down.
    public func send(_ bytes: [UInt8]) async throws(BlueZError) {
        precondition(!bytes.isEmpty && bytes.count <= byteCountMax)
        while true {
            let sent = descriptor.withNumber { number -> CInt in
                let flags = CInt(MSG_DONTWAIT | MSG_NOSIGNAL)
                return Glibc.send(number, bytes, bytes.count, flags) >= 0 ? 0 : errno
            }
            switch sent {
            case 0?: return
            case EINTR?: continue
            case EAGAIN?, ENOBUFS?:
                guard await bus.awaitWritable(descriptor) else { throw .disconnected }
            default: throw .disconnected
            }
            if Task.isCancelled { throw .cancelled }
        }
    }

    /// Closes it: others can write again.
    public func close() { descriptor.close() }
}
