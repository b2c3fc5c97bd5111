import Glibc

/// Where a server listens: a host and a port.
package struct ServerAddress: Sendable, Hashable, CustomStringConvertible {
    /// A name of a host has at most 253 characters.
    private static let hostByteCountMax = 253

    /// The name or the address of the host; one of IPv6 with its brackets.
    package let host: String
    /// The port; 4222 if the text has none.
    package let port: UInt16

    /// Parses `HOST`, `HOST:PORT` or `nats://HOST:PORT`; `nil` if `text` is none of them. An
    /// address of IPv6 has brackets, such as `[::1]:4222`.
    ///
    /// There is no place for a password in an address: it would be printed with it.
    package init?(_ text: String) {
        let scheme = "nats://"
        let rest = text.hasPrefix(scheme) ? text.dropFirst(scheme.count) : text[...]
        let bracket = rest.hasPrefix("[") ? rest.firstIndex(of: "]") : nil
        let end = bracket ?? rest.startIndex
        let parts = rest[end...].split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count <= 2, let last = parts.first,
            let port = parts.count == 2 ? UInt16(parts[1]) : 4_222, port > 0
        else { return nil }
        host = String(rest[..<last.endIndex])
        self.port = port
        guard Self.isHost(host) else { return nil }
    }

    /// Whether the host is an address of IPv6.
    package var isIPv6: Bool { host.hasPrefix("[") }

    private static func isHost(_ text: String) -> Bool {
        guard text.hasPrefix("["), text.hasSuffix("]") else {
            return NameText.areTokens(
                text,
                byteCountMax: hostByteCountMax,
                { $0.allSatisfy(NameText.isWordByte) }
            )
        }
        var address = in6_addr()
        return inet_pton(AF_INET6, String(text.dropFirst().dropLast()), &address) == 1
    }

    /// The address as a server's URL.
    package var description: String { "nats://\(host):\(port)" }
}
