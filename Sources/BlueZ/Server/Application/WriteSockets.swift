import DBus
import Glibc
import Synchronization

/// The sockets over which the daemon passes on the write commands to one characteristic.
///
/// The daemon requests a socket when the first command arrives, and closes it when the peer
/// disconnects. It may repeat the request for the same peer before it gets the reply.
///
/// If the peer disconnects before the daemon gets the reply, the daemon (5.66 to 5.87) closes the
/// socket unused. From then on, it requests no other socket as long as the characteristic exists,
/// and drops the commands of all peers. The commands must then arrive as method calls instead.
final class WriteSockets: Sendable {
    /// The number of messages to read at a time, limited to keep the bus's thread responsive.
    private static let batchCount = 64
    /// The pause between reads, which is shorter than 7.5 ms, the minimum connection interval
    /// before Core 6.2. A radio delivers several writes per interval.
    private static let pause = Duration.milliseconds(5)
    /// The size of the send buffer to request. The kernel grants twice its `wmem_max`, 425,984
    /// bytes by default. The limit applies to the sending socket, which is passed to the daemon
    /// with this buffer size.
    private static let bufferByteCount: CInt = 1 << 20
    /// An error name that the daemon does not recognize, which makes the daemon pass the command in
    /// a method call. After any other error, the daemon drops the command, or even all later
    /// commands.
    private static let refusal = "org.bleota.Error.NoSocket"

    private struct State {
        /// The open sockets by peer.
        var open: [ObjectPath: OpenSocket] = [:]
        var isOffered = true
    }

    private struct OpenSocket {
        let descriptor: BusDescriptor
        var hasCarried = false
    }

    private let bus: BusConnection
    private let onMessages: @Sendable (_ messages: [[UInt8]], _ mtu: Int) -> Void
    private let onUseless: @Sendable () -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - onMessages: called on the bus's thread with one or more messages, in the order of their
    ///     arrival.
    ///   - onUseless: called on the bus's thread when the daemon no longer requests sockets and
    ///     must be made to pass commands in method calls.
    init(
        _ bus: BusConnection,
        onMessages: @escaping @Sendable (_ messages: [[UInt8]], _ mtu: Int) -> Void,
        onUseless: @escaping @Sendable () -> Void
    ) {
        self.bus = bus
        self.onMessages = onMessages
        self.onUseless = onUseless
    }

    deinit {
        for socket in state.withLock({ Array($0.open.values) }) { socket.descriptor.close() }
    }

    /// Whether a socket is open; `nil` if no sockets are offered.
    var isAnyOpen: Bool? { state.withLock { $0.isOffered ? !$0.open.isEmpty : nil } }

    /// Offers sockets again, after the daemon has forgotten the characteristic.
    func offerAgain() { state.withLock { $0.isOffered = true } }

    /// Replies to the daemon's call to `AcquireWrite`. Called on the bus's thread.
    func acquire(_ call: IncomingCall) {
        let options = call.message.body.first?.properties ?? [:]
        guard let device = options["device"]?.objectPath, let mtu = options["mtu"]?.integer,
            let attMTU = UInt16(exactly: mtu)
        else { return call.fail(Self.refusal, "The device and its MTU are missing") }
        // The daemon may have closed its socket, and the bus's thread may not have noticed yet.
        if let present = state.withLock({ $0.open[device] }),
            !(present.descriptor.withNumber { Self.isHungUp($0) } ?? true)
        {
            return call.fail(Self.refusal, "The socket is already acquired")
        }
        guard let (ours, theirs) = Self.pair() else {
            return call.fail(Self.refusal, "No file descriptors are left")
        }
        state.withLock { $0.open[device] = OpenSocket(descriptor: ours) }
        bus.onReadable(ours, pause: Self.pause) { [weak self] in
            guard let self else { return .over }
            let reading = self.read(ours, of: device, mtu)
            if reading == .over { self.end(ours, of: device) }
            return reading
        }
        call.reply([.descriptor(theirs), .uint16(attMTU)])
    }

    /// Handles a socket that the daemon has closed. When the daemon gets a socket, it immediately
    /// sends the command for which it requested one. Therefore, it did not accept a socket that
    /// never carried a message.
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

    /// Creates a pair of nonblocking sockets. A blocking socket would stall the whole daemon.
    private static func pair() -> (ours: BusDescriptor, theirs: BusDescriptor)? {
        var ends: [CInt] = [-1, -1]
        let type =
            SOCK_SEQPACKET.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
        guard socketpair(AF_UNIX, CInt(type), 0, &ends) == 0 else { return nil }
        var byteCount = bufferByteCount
        let size = socklen_t(MemoryLayout.size(ofValue: byteCount))
        // If the kernel refuses this size, the buffer is merely smaller.
        _ = setsockopt(ends[1], SOL_SOCKET, SO_SNDBUF, &byteCount, size)
        return (BusDescriptor(owning: ends[0]), BusDescriptor(owning: ends[1]))
    }

    /// Reads the pending messages, at most ``batchCount``.
    private func read(
        _ descriptor: BusDescriptor,
        of device: ObjectPath,
        _ mtu: Int
    ) -> BusReading {
        let batch = descriptor.withNumber { Self.readBatch($0) }
        guard let batch else { return .over }
        if !batch.messages.isEmpty {
            noteMessage(descriptor, of: device)
            onMessages(batch.messages, mtu)
        }
        if batch.isEnd { return .over }
        return batch.messages.isEmpty ? .nothing : .something
    }

    private struct Batch {
        var messages: [[UInt8]] = []
        /// Whether the daemon has closed its socket.
        var isEnd = false
    }

    private static func readBatch(_ number: CInt) -> Batch {
        var batch = Batch()
        withUnsafeTemporaryAllocation(byteCount: LocalReading.byteCountMax, alignment: 1) { room in
            for _ in 0..<batchCount {
                let count = recv(number, room.baseAddress, room.count, CInt(MSG_DONTWAIT))
                if count < 0 {
                    batch.isEnd = errno != EAGAIN && errno != EINTR
                    return
                }
                // The daemon passes on an empty write as an empty message, which looks like the
                // end of the stream.
                batch.isEnd = count == 0 && isHungUp(number)
                if batch.isEnd { return }
                batch.messages.append(Array(room[..<count]))
            }
        }
        return batch
    }

    private func noteMessage(_ descriptor: BusDescriptor, of device: ObjectPath) {
        state.withLock { state in
            if state.open[device]?.descriptor == descriptor {
                state.open[device]?.hasCarried = true
            }
        }
    }

    private static func isHungUp(_ number: CInt) -> Bool {
        var request = pollfd(fd: number, events: 0, revents: 0)
        return poll(&request, 1, 0) > 0
    }
}
