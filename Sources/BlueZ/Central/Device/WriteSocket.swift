import DBus
import Glibc

/// A socket to the daemon that turns each message into a write command.
///
/// The socket accepts messages even if the radio is stalled, because the daemon queues them
/// without a limit. A caller that sends many messages must limit its own rate.
public final class WriteSocket: Sendable {
    /// The longest time that the daemon may take to read all messages, and the pause between
    /// checks.
    private static let finishLimit = Duration.seconds(5)
    private static let finishPause = Duration.milliseconds(5)

    private let descriptor: BusDescriptor
    private let bus: BusConnection
    /// The ATT_MTU at the time when the socket was opened, 23 to 517.
    public let attMTU: Int
    /// The maximum length of a value in bytes: ATT_MTU − 3, but at most 512.
    public var byteCountMax: Int { min(attMTU - 3, 512) }

    init(_ descriptor: BusDescriptor, attMTU: Int, _ bus: BusConnection) {
        self.descriptor = descriptor
        self.bus = bus
        self.attMTU = min(max(attMTU, 23), 517)
    }

    /// Hands a value to the daemon, and waits while the daemon is too busy to accept it.
    ///
    /// - Parameter bytes: 1 to ``byteCountMax`` bytes. An empty message would close the socket,
    ///   and the daemon silently truncates a message that is too long.
    /// - Throws: ``BlueZError/disconnected`` if the link is down; ``BlueZError/cancelled``.
    public func send(_ bytes: [UInt8]) async throws(BlueZError) {
        precondition(!bytes.isEmpty && bytes.count <= byteCountMax)
        while true {
            switch descriptor.sendNow(bytes) {
            case 0?: return
            case EINTR?: continue
            case EAGAIN?, ENOBUFS?:
                guard await bus.awaitWritable(descriptor) else { throw .disconnected }
            default: throw .disconnected
            }
            if Task.isCancelled { throw .cancelled }
        }
    }

    /// Waits until the daemon has read all messages, and closes the socket.
    ///
    /// - Throws: ``BlueZError/disconnected`` if the link is down or the daemon doesn't read;
    ///   ``BlueZError/cancelled``. The socket is closed in any case.
    public func finish() async throws(BlueZError) {
        defer { close() }
        let end = ContinuousClock.now + Self.finishLimit
        while let count = unreadByteCount, count > 0 {
            if Task.isCancelled { throw .cancelled }
            guard ContinuousClock.now < end else { throw .disconnected }
            try? await Task.sleep(for: Self.finishPause)
        }
    }

    /// The number of bytes that the daemon has not read yet, including the kernel's overhead; `nil`
    /// if the socket is closed.
    private var unreadByteCount: CInt? {
        descriptor.withNumber { number in
            var count: CInt = 0
            return ioctl(number, UInt(TIOCOUTQ), &count) == 0 ? count : 0
        }
    }

    /// Closes the socket without waiting, so that other programs can write to the characteristic
    /// again.
    public func close() { descriptor.close() }
}
