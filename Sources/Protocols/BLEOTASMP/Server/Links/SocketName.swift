import Glibc

/// The address of a peer on a network.
struct SocketName {
    /// The address as people write it, such as `192.168.7.1:40123`.
    let text: String
    let port: UInt16?

    init(_ address: UnsafePointer<sockaddr>, _ length: socklen_t) {
        var host = [CChar](repeating: 0, count: 128)
        var service = [CChar](repeating: 0, count: 16)
        let status = getnameinfo(
            address,
            length,
            &host,
            socklen_t(host.count),
            &service,
            socklen_t(service.count),
            NI_NUMERICHOST | NI_NUMERICSERV
        )
        guard status == 0 else {
            text = "an unknown address"
            port = nil
            return
        }
        let name = String(decoding: host.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
        let number = String(decoding: service.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
        port = UInt16(number)
        // An IPv4 address on a dual-stack socket.
        let mapped = "::ffff:"
        let plain = name.hasPrefix(mapped) ? String(name.dropFirst(mapped.count)) : name
        text = plain.contains(":") ? "[\(plain)]:\(number)" : "\(plain):\(number)"
    }

    init(_ bytes: [UInt8]) {
        self = bytes.withUnsafeBytes { bytes in
            guard let address = bytes.bindMemory(to: sockaddr.self).baseAddress else {
                preconditionFailure("an address has at least one byte")
            }
            return SocketName(address, socklen_t(bytes.count))
        }
    }
}
