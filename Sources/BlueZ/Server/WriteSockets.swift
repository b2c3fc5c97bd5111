import DBus
import Glibc
import Synchronization

/// The sockets over which the daemon hands us the write commands to one characteristic.
///
/// The daemon asks for one when a first command comes, and closes it when the peer leaves. It may
/// ask again for the same peer before it has the answer.
final class WriteSockets: Sendable {
    /// What is read at a time, so that the bus is not kept waiting.
    private static let batchCount = 64
    /// Shorter than any connection interval, in which a radio brings several writes at once.
    private static let pause = Duration.milliseconds(5)
    /// Asked for; the kernel grants twice its `wmem_max`, 425,984 bytes by default. What counts is
    /// the buffer of the end that sends, and it goes with that to the daemon.
    private static let bufferByteCount: CInt = 1 << 20
    /// The daemon knows no such name; to all that it knows but this it answers by dropping the
    /// command, or all that follow. To this it brings the command by a call.
    private static let refusal = "org.bleota.Error.NoSocket"

    private let bus: BusConnection
    private let onMessage: @Sendable (_ bytes: [UInt8], _ mtu: Int) -> Void
    /// By the peer the daemon asked for.
    private let open = Mutex<[ObjectPath: BusDescriptor]>([:])

    /// - Parameter onMessage: is called on the bus's thread with what comes.
    init(
        _ bus: BusConnection,
        onMessage: @escaping @Sendable (_ bytes: [UInt8], _ mtu: Int) -> Void
    ) {
        self.bus = bus
        self.onMessage = onMessage
    }

    deinit { for descriptor in open.withLock({ Array($0.values) }) { descriptor.close() } }

    var isAnyOpen: Bool { open.withLock { !$0.isEmpty } }

    /// Answers the daemon's call of `AcquireWrite`, on the bus's thread.
    func acquire(_ call: IncomingCall) {
        let options = call.message.body.first?.properties ?? [:]
        guard let device = options["device"]?.objectPath, let mtu = options["mtu"]?.integer,
            let attMTU = UInt16(exactly: mtu)
        else { return call.fail(Self.refusal, "A device and its MTU are missing") }
        // One that the daemon has closed may not have been noticed yet.
        if let present = open.withLock({ $0[device] }), !Self.isHungUp(present) {
            return call.fail(Self.refusal, "It has a socket already")
        }
        guard let (ours, theirs) = Self.pair() else {
            return call.fail(Self.refusal, "There is no file descriptor left")
        }
        open.withLock { $0[device] = ours }
        bus.onReadable(ours, pause: Self.pause) { [weak self] in
            guard let self else { return false }
            if self.read(ours, mtu) { return true }
            ours.close()
            self.open.withLock { if $0[device] == ours { $0.removeValue(forKey: device) } }
            return false
        }
        call.reply([.descriptor(theirs), .uint16(attMTU)])
    }

    /// Neither end may block: the daemon would, as a whole.
    private static func pair() -> (ours: BusDescriptor, theirs: BusDescriptor)? {
        var ends: [CInt] = [-1, -1]
        let type =
            SOCK_SEQPACKET.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
        guard socketpair(AF_UNIX, CInt(type), 0, &ends) == 0 else { return nil }
        var byteCount = bufferByteCount
        let size = socklen_t(MemoryLayout.size(ofValue: byteCount))
        // What is refused here only makes the socket smaller.
        _ = setsockopt(ends[1], SOL_SOCKET, SO_SNDBUF, &byteCount, size)
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
}
