import Glibc

/// Where a server listens: a host and a port.
package struct ListenAddress: Sendable, Hashable, CustomStringConvertible {
    package let host: String
    /// 0 for one that the system chooses.
    package let port: UInt16

    /// Parses `HOST:PORT`, or `[ADDRESS]:PORT` for an address of IPv6; `nil` if `text` is neither.
    package init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[colon...].dropFirst())
        else { return nil }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            return nil
        }
        guard !host.isEmpty else { return nil }
        self.init(String(host), port)
    }

    init(_ host: String, _ port: UInt16) { (self.host, self.port) = (host, port) }

    /// Whether nobody else reaches it: an address of the loopback, or its name.
    package var isOfThisMachine: Bool {
        var ipv4 = in_addr()
        if inet_pton(AF_INET, host, &ipv4) == 1 {
            return UInt32(bigEndian: ipv4.s_addr) >> 24 == 127
        }
        var ipv6 = in6_addr()
        guard inet_pton(AF_INET6, host, &ipv6) == 1 else { return host == "localhost" }
        let bytes = withUnsafeBytes(of: &ipv6) { Array($0) }
        return bytes == [UInt8](repeating: 0, count: 15) + [1]
    }

    package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
