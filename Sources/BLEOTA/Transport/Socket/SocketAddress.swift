import Glibc
import SystemPackage

/// A path that fits into the address of a Unix socket.
struct SocketAddress: Sendable {
    /// The length of `sun_path`, excluding the terminating zero.
    static let pathByteCountMax = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

    let path: FilePath
    private let address: sockaddr_un

    init(_ path: FilePath) throws(SocketError) {
        let bytes = path.withPlatformString { text in
            Array(UnsafeRawBufferPointer(start: text, count: strlen(text)))
        }
        if bytes.isEmpty { throw .system(call: "bind", .noSuchFileOrDirectory) }
        if bytes.count > Self.pathByteCountMax {
            throw .pathTooLong(path, byteCount: bytes.count, limit: Self.pathByteCountMax)
        }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { room in room.copyBytes(from: bytes) }
        self.path = path
        self.address = address
    }

    func connect(_ descriptor: Int32) -> Errno? {
        call { address, length in
            repeat {
                if Glibc.connect(descriptor, address, length) == 0 { return 0 }
            } while errno == EINTR
            return -1
        }
    }

    func bind(_ descriptor: Int32) -> Errno? {
        call { address, length in Glibc.bind(descriptor, address, length) }
    }

    private func call(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Errno? {
        let result = withUnsafeBytes(of: address) { bytes in
            body(
                bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self),
                socklen_t(bytes.count)
            )
        }
        return result == 0 ? nil : SocketCalls.lastErrno
    }
}
