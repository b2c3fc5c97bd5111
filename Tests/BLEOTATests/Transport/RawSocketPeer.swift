import Glibc
import SystemPackage

/// A peer of a socket link that says exactly what the test tells it to, and dies on command.
final class RawSocketPeer: @unchecked Sendable {
    /// A hello of the current version that announces ATT_MTU 517.
    static let hello: [UInt8] = [0x01] + Array("BLEO".utf8) + [1, 0x05, 0x02]

    private(set) var descriptor: Int32

    private init(_ descriptor: Int32) {
        precondition(descriptor >= 0, "no socket: \(errno)")
        self.descriptor = descriptor
    }

    deinit { close() }

    private static func make() -> Int32 {
        socket(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue), 0)
    }

    /// Two connected sockets.
    static func makePair() -> (Int32, Int32) {
        var ends: [Int32] = [-1, -1]
        let type = SOCK_SEQPACKET.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
        precondition(socketpair(AF_UNIX, Int32(type), 0, &ends) == 0, "no sockets: \(errno)")
        return (ends[0], ends[1])
    }

    /// A peer at one of two connected sockets.
    static func taking(_ descriptor: Int32) -> RawSocketPeer { RawSocketPeer(descriptor) }

    static func connecting(to path: FilePath) -> RawSocketPeer {
        let peer = RawSocketPeer(make())
        let result = withAddress(path) { connect(peer.descriptor, $0, $1) }
        precondition(result == 0, "can't connect: \(errno)")
        return peer
    }

    static func listening(at path: FilePath, backlog: Int32 = 4) -> RawSocketPeer {
        let peer = RawSocketPeer(make())
        let result = withAddress(path) { bind(peer.descriptor, $0, $1) }
        precondition(result == 0 && listen(peer.descriptor, backlog) == 0, "can't listen: \(errno)")
        return peer
    }

    private static func withAddress(
        _ path: FilePath,
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.string.utf8) }
        return withUnsafeBytes(of: address) { bytes in
            body(bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
        }
    }

    func accepting() -> RawSocketPeer { RawSocketPeer(accept(descriptor, nil, nil)) }

    /// The same for a peer that has yet to come, without blocking.
    func acceptingNext() async -> RawSocketPeer {
        while true {
            var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            if poll(&waiting, 1, 0) == 1 { return accepting() }
            await Task.yield()
        }
    }

    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
        Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
    }

    /// The next datagram; `nil` once the other end has gone.
    ///
    /// It never blocks: on a small machine that would take the thread from the very task that has
    /// to send. The time limit of the suite bounds it.
    func receive() async -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while !Task.isCancelled {
            let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            if count > 0 { return Array(buffer[..<count]) }
            if count == 0 || errno != EAGAIN { return nil }
            await Task.yield()
        }
        return nil
    }

    /// As the kernel does for a process that is killed.
    func close() {
        if descriptor >= 0 { _ = Glibc.close(descriptor) }
        descriptor = -1
    }
}
