import Glibc

import struct SystemPackage.Errno
import struct SystemPackage.FilePath

/// A Unix socket of packets, as the protocol's binding to sockets uses it (section 10.2).
struct PacketSocket: ~Copyable {
    /// A packet is a byte and at most 512 more.
    static let packetByteCountMax = 1_024

    let descriptor: Int32

    private init(owning descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Listens on a path, at which nothing may be.
    static func listen(on path: FilePath) throws(Errno) -> PacketSocket {
        let new = try make()
        try withAddress(path) { address, length in bind(new.descriptor, address, length) }
        guard Glibc.listen(new.descriptor, 16) == 0 else { throw Errno(rawValue: errno) }
        return new
    }

    static func connect(to path: FilePath) throws(Errno) -> PacketSocket {
        let new = try make()
        try withAddress(path) { address, length in
            Glibc.connect(new.descriptor, address, length)
        }
        return new
    }

    /// The next peer; `nil` once the socket is shut down.
    borrowing func accept() -> PacketSocket? {
        while true {
            let peer = Glibc.accept(descriptor, nil, nil)
            if peer >= 0 {
                _ = fcntl(peer, F_SETFD, FD_CLOEXEC)
                return PacketSocket(owning: peer)
            }
            guard errno == EINTR || errno == ECONNABORTED else { return nil }
        }
    }

    /// Wakes whoever waits for this socket, on both sides.
    borrowing func shutDown() { _ = Glibc.shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// The next packet; `nil` at the end.
    borrowing func receive(_ buffer: inout [UInt8]) -> Int? {
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count > 0 { return count }
            guard count < 0, errno == EINTR else { return nil }
        }
    }

    /// - Returns: whether the peer is still there.
    borrowing func send(_ buffer: [UInt8], count: Int) -> Bool {
        while true {
            if Glibc.send(descriptor, buffer, count, Int32(MSG_NOSIGNAL)) >= 0 {
                return true
            }
            guard errno == EINTR else { return false }
        }
    }

    private static func make() throws(Errno) -> PacketSocket {
        let type = Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(AF_UNIX, type, 0)
        guard descriptor >= 0 else { throw Errno(rawValue: errno) }
        return PacketSocket(owning: descriptor)
    }

    private static func withAddress(
        _ path: FilePath,
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) throws(Errno) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.string.utf8)
        // A path ends with a zero byte.
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
            throw .fileNameTooLong
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let length = socklen_t(MemoryLayout<sockaddr_un>.size)
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
        }
        guard result == 0 else { throw Errno(rawValue: errno) }
    }
}
