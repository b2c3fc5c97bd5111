import Glibc

/// Ports that nobody else gets.
package enum FreePort {
    package static func next() throws -> UInt16 {
        // It stays bound until the tests end, so that the system gives the port to no other socket.
        // A server may listen on it all the same, because both reuse addresses.
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var yes = Int32(1)
        setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let port = withUnsafeMutablePointer(to: &place) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { place -> UInt16? in
                guard bind(socket, place, size) == 0, getsockname(socket, place, &size) == 0 else {
                    return nil
                }
                return UInt16(bigEndian: pointer.pointee.sin_port)
            }
        }
        // Servers reach each other on the port 2,000 above it.
        guard let port, port < 60_000 else { return try next() }
        return port
    }
}
