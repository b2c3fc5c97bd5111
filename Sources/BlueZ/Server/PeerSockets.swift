import DBus
import Glibc
import Synchronization

/// The sockets between us and the daemon for one characteristic: over them it hands us write
/// commands, or takes values for subscribers.
///
/// The daemon asks for one when a first command comes or a peer subscribes, and closes it when the
/// peer leaves. It may ask again for the same peer before it has the answer; refused, it brings
/// that command by a call.
final class PeerSockets: Sendable {
    /// What is read at a time, so that the bus is not kept waiting.
    private static let batchCount = 64
    /// Shorter than any connection interval, in which a radio brings several writes at once.
    private static let pause = Duration.milliseconds(5)

    private let bus: BusConnection
    private let onMessage: @Sendable (_ bytes: [UInt8], _ mtu: Int) -> Void
    /// By the peer the daemon asked for.
    private let open = Mutex<[ObjectPath: BusDescriptor]>([:])

    /// - Parameter onMessage: is called on the bus's thread with what comes.
    init(
        _ bus: BusConnection,
        onMessage: @escaping @Sendable (_ bytes: [UInt8], _ mtu: Int) -> Void = { _, _ in }
    ) {
        self.bus = bus
        self.onMessage = onMessage
    }

    deinit { for descriptor in all { descriptor.close() } }

    var isAnyOpen: Bool { open.withLock { !$0.isEmpty } }

    private var all: [BusDescriptor] { open.withLock { Array($0.values) } }

    /// Answers the daemon's call of `AcquireWrite` or `AcquireNotify`, on the bus's thread.
    ///
    /// - Parameter onChange: is called on the bus's thread with 1 when there is a socket, and with
    ///   -1 when it is gone.
    func acquire(_ call: IncomingCall, onChange: @escaping @Sendable (Int) -> Void = { _ in }) {
        let options = call.message.body.first?.properties ?? [:]
        guard let device = options["device"]?.objectPath, let mtu = options["mtu"]?.integer,
            let attMTU = UInt16(exactly: mtu)
        else {
            return call.fail("org.bluez.Error.InvalidArguments", "A device and its MTU are missing")
        }
        // One that the daemon has closed may not have been noticed yet.
        if let present = open.withLock({ $0[device] }), !Self.isHungUp(present) {
            return call.fail("org.bluez.Error.InProgress", "It has a socket already")
        }
        guard let (ours, theirs) = Self.pair() else {
            return call.fail("org.bluez.Error.Failed", "There is no file descriptor left")
        }
        open.withLock { $0[device] = ours }
        onChange(1)
        bus.onReadable(ours, pause: Self.pause) { [weak self] in
            guard let self else { return false }
            if self.read(ours, mtu) { return true }
            ours.close()
            self.open.withLock { if $0[device] == ours { $0.removeValue(forKey: device) } }
            onChange(-1)
            return false
        }
        call.reply([.descriptor(theirs), .uint16(attMTU)])
    }

    /// Neither end may block: the daemon would, as a whole.
    private static func pair() -> (BusDescriptor, BusDescriptor)? {
        var ends: [CInt] = [-1, -1]
        let type =
            SOCK_SEQPACKET.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
        guard socketpair(AF_UNIX, CInt(type), 0, &ends) == 0 else { return nil }
        return (BusDescriptor(owning: ends[0]), BusDescriptor(owning: ends[1]))
    }

    /// Takes what is there; false once the daemon has closed its end.
    private func read(_ descriptor: BusDescriptor, _ mtu: Int) -> Bool {
        withUnsafeTemporaryAllocation(byteCount: LocalReading.byteCountMax, alignment: 1) { room in
            for _ in 0..<Self.batchCount {
                let count = descriptor.withNumber { number in
                    recv(number, room.baseAddress, room.count, CInt(MSG_DONTWAIT))
                }
                guard let count else { return false }
                if count < 0 { return errno == EAGAIN || errno == EINTR }
                // The daemon passes on an empty write as an empty message: it looks like the end.
                if count == 0, Self.isHungUp(descriptor) { return false }
                onMessage(Array(room[..<count]), mtu)
            }
            return true
        }
    }

    private static func isHungUp(_ descriptor: BusDescriptor) -> Bool {
        descriptor.withNumber { number in
            var request = pollfd(fd: number, events: 0, revents: 0)
            return poll(&request, 1, 0) > 0
        } ?? true
    }

    /// Hands a value to the daemon for every peer with a socket, and waits while it is too busy to
    /// take it. The daemon takes an empty message for the end.
    func send(_ value: [UInt8]) async throws(BlueZError) {
        precondition(!value.isEmpty)
        for descriptor in all {
            var isBusy = true
            while isBusy {
                if Task.isCancelled { throw .cancelled }
                isBusy =
                    descriptor.withNumber { number in
                        let flags = CInt(MSG_DONTWAIT | MSG_NOSIGNAL)
                        let isSent = Glibc.send(number, value, value.count, flags) >= 0
                        return !isSent && [EAGAIN, EINTR, ENOBUFS].contains(errno)
                    } ?? false
                if isBusy { await bus.awaitWritable(descriptor) }
            }
        }
    }
}
