import Glibc
import Synchronization

import struct SystemPackage.Errno
import struct SystemPackage.FilePath

/// A link that loses packets: it listens on one socket, and carries everything to another.
///
/// Each peer has two threads, one for each direction, which end with it. A fleet of 60 devices in
/// one process has 60 threads that wait for peers, and two for each push.
final class LossyLink: Sendable {
    /// The byte before a data frame without response.
    private static let dataFrame: UInt8 = 0x04
    /// The most that is carried without a pause: a third of what a socket holds, and 40 ms of a
    /// link of 100 kB/s.
    private static let burstByteCount = 4_096

    /// A peer, and the receiver to which the link carries its packets.
    private final class Pair: Sendable {
        let peer: PacketSocket
        let receiver: PacketSocket

        init(_ peer: consuming PacketSocket, _ receiver: consuming PacketSocket) {
            self.peer = peer
            self.receiver = receiver
        }

        func end() {
            peer.shutDown()
            receiver.shutDown()
        }
    }

    private struct State {
        var isOver = false
        var pairs: [ObjectIdentifier: Pair] = [:]
        var count: UInt64 = 0
    }

    private let path: FilePath
    private let target: FilePath
    private let faults: LinkFaults
    private let listener: PacketSocket
    private let state = Mutex(State())

    /// Begins to carry.
    ///
    /// - Parameters:
    ///   - path: where peers connect. A socket that another process left there is replaced; any
    ///     other file stays, and is an error.
    ///   - target: where the receiver listens.
    init(at path: FilePath, to target: FilePath, _ faults: LinkFaults) throws(Errno) {
        self.path = path
        self.target = target
        self.faults = faults
        var status = stat()
        if lstat(path.string, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK {
            unlink(path.string)
        }
        listener = try PacketSocket.listen(on: path)
        Thread.start { self.accept() }
    }

    /// Ends all links, and listens no more.
    func end() {
        unlink(path.string)
        let pairs = state.withLock { state in
            state.isOver = true
            return state.pairs.values
        }
        listener.shutDown()
        for pair in pairs { pair.end() }
    }

    private func accept() {
        while let peer = listener.accept() {
            // The receiver is gone for a moment, as when a device restarts.
            guard let receiver = try? PacketSocket.connect(to: target) else { continue }
            let pair = Pair(peer, receiver)
            let number = state.withLock { state -> UInt64? in
                guard !state.isOver else { return nil }
                state.pairs[ObjectIdentifier(pair)] = pair
                state.count += 1
                return state.count
            }
            guard let number else { return }
            Thread.start { self.carry(from: pair, number) }
            Thread.start { self.carry(backTo: pair) }
        }
    }

    /// Carries what a sender sends, and loses some of it.
    private func carry(from pair: Pair, _ number: UInt64) {
        var dice = FaultDice(seed: faults.seed &+ number &* 0x1_0001)
        var buffer = [UInt8](repeating: 0, count: PacketSocket.packetByteCountMax)
        var burst = 0
        while let count = pair.peer.receive(&buffer) {
            if buffer[0] == Self.dataFrame {
                burst += count
                if burst >= Self.burstByteCount {
                    pause(after: burst)
                    burst = 0
                }
                if dice.isHit(faults.loss) { continue }
            }
            guard pair.receiver.send(buffer, count: count) else { break }
        }
        end(pair)
    }

    private func carry(backTo pair: Pair) {
        var buffer = [UInt8](repeating: 0, count: PacketSocket.packetByteCountMax)
        while let count = pair.receiver.receive(&buffer) {
            guard pair.peer.send(buffer, count: count) else { break }
        }
        end(pair)
    }

    private func pause(after byteCount: Int) {
        guard let rate = faults.bytesPerSecond, rate > 0 else { return }
        usleep(UInt32(clamping: UInt64(byteCount) * 1_000_000 / UInt64(rate)))
    }

    private func end(_ pair: Pair) {
        pair.end()
        _ = state.withLock { $0.pairs.removeValue(forKey: ObjectIdentifier(pair)) }
    }
}

/// A thread that may block.
private enum Thread {
    private final class Box: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    static func start(_ body: @escaping @Sendable () -> Void) {
        var thread = pthread_t()
        let error = pthread_create(
            &thread,
            nil,
            { box in
                if let box { Unmanaged<Box>.fromOpaque(box).takeRetainedValue().body() }
                return nil
            },
            Unmanaged.passRetained(Box(body)).toOpaque()
        )
        precondition(error == 0, "the system has no more threads")
        pthread_detach(thread)
    }
}
