import DBus
import Glibc
import Synchronization

/// The sockets over which the daemon hands us the write commands to one characteristic.
///
/// The daemon asks for one when a first command comes, and closes it when the peer leaves. It may
/// ask again for the same peer before it has the answer.
///
/// Where the peer leaves before the daemon has the answer, the daemon (5.66 to 5.87) closes the
/// socket unused, asks for no other as long as the characteristic is there, and keeps the commands
/// of all peers to itself. Then the commands have to come by calls instead.
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

    private struct State {
        /// By the peer the daemon asked for.
        var open: [ObjectPath: OpenSocket] = [:]
        var isOffered = true
    }

    private struct OpenSocket {
        let descriptor: BusDescriptor
        var hasCarried = false
    }

    private let bus: BusConnection
    private let onMessage: @Sendable (_ bytes: [UInt8], _ mtu: Int) -> Void
    private let onUseless: @Sendable () -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - onMessage: is called on the bus's thread with what comes.
    ///   - onUseless: is called on the bus's thread when the daemon asks for no socket any more and
    ///     has to be told to bring commands by calls.
    init(
        _ bus: BusConnection,
        onMessage: @escaping @Sendable (_ bytes: [UInt8], _ mtu: Int) -> Void,
        onUseless: @escaping @Sendable () -> Void
    ) {
        self.bus = bus
        self.onMessage = onMessage
        self.onUseless = onUseless
    }

    deinit {
        for socket in state.withLock({ Array($0.open.values) }) { socket.descriptor.close() }
    }

    /// Whether there is a socket now; `nil` while none is offered.
    var isAnyOpen: Bool? { state.withLock { $0.isOffered ? !$0.open.isEmpty : nil } }

    /// The daemon begins anew with the characteristic.
    func offerAgain() { state.withLock { $0.isOffered = true } }

    /// Answers the daemon's call of `AcquireWrite`, on the bus's thread.
    func acquire(_ call: IncomingCall) {
        let options = call.message.body.first?.properties ?? [:]
        guard let device = options["device"]?.objectPath, let mtu = options["mtu"]?.integer,
            let attMTU = UInt16(exactly: mtu)
        else { return call.fail(Self.refusal, "A device and its MTU are missing") }
        // One that the daemon has closed may not have been noticed yet.
        if let present = state.withLock({ $0.open[device] }), !Self.isHungUp(present.descriptor) {
            return call.fail(Self.refusal, "It has a socket already")
        }
        guard let (ours, theirs) = Self.pair() else {
            return call.fail(Self.refusal, "There is no file descriptor left")
        }
        state.withLock { $0.open[device] = OpenSocket(descriptor: ours) }
        bus.onReadable(ours, pause: Self.pause) { [weak self] in
            guard let self else { return false }
            if self.read(ours, of: device, mtu) { return true }
            self.end(ours, of: device)
            return false
        }
        call.reply([.descriptor(theirs), .uint16(attMTU)])
    }

    /// The daemon has closed its end. It sends the command for which it wanted the socket as soon
    /// as it has it: one that never carried anything is one that it did not take.
    private func end(_ descriptor: BusDescriptor, of device: ObjectPath) {
        descriptor.close()
        let isUseless = state.withLock { state in
            guard let socket = state.open[device], socket.descriptor == descriptor else {
                return false
            }
            state.open[device] = nil
            guard !socket.hasCarried, state.isOffered else { return false }
            state.isOffered = false
            return true
        }
        if isUseless { onUseless() }
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
    private func read(_ descriptor: BusDescriptor, of device: ObjectPath, _ mtu: Int) -> Bool {
        withUnsafeTemporaryAllocation(byteCount: LocalReading.byteCountMax, alignment: 1) { room in
            for _ in 0..<Self.batchCount {
                let count = descriptor.withNumber { number in
                    recv(number, room.baseAddress, room.count, CInt(MSG_DONTWAIT))
                }
                guard let count else { return false }
                if count < 0 { return errno == EAGAIN || errno == EINTR }
                // The daemon passes on an empty write as an empty message: it looks like the end.
                if count == 0, Self.isHungUp(descriptor) { return false }
                noteMessage(descriptor, of: device)
                onMessage(Array(room[..<count]), mtu)
            }
            return true
        }
    }

    private func noteMessage(_ descriptor: BusDescriptor, of device: ObjectPath) {
        state.withLock { state in
            if state.open[device]?.descriptor == descriptor {
                state.open[device]?.hasCarried = true
            }
        }
    }

    private static func isHungUp(_ descriptor: BusDescriptor) -> Bool {
        descriptor.withNumber { number in
            var request = pollfd(fd: number, events: 0, revents: 0)
            return poll(&request, 1, 0) > 0
        } ?? true
    }
}
