/// Where a server listens: a host and a port.
package struct ServerAddress: Sendable, Hashable, CustomStringConvertible {
    /// A name of a host has at most 253 characters.
    private static let hostByteCountMax = 253

    /// The name or the IPv4 address of the host.
    package let host: String
    /// The port; 4222 if the text has none.
    package let port: UInt16

    /// Parses `HOST`, `HOST:PORT` or `nats://HOST:PORT`; `nil` if `text` is none of them.
    ///
    /// There is no place for a password in an address: it would be printed with it.
    package init?(_ text: String) {
        let scheme = "nats://"
        let rest = text.hasPrefix(scheme) ? text.dropFirst(scheme.count) : text[...]
        let parts = rest.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count <= 2, let host = parts.first.map(String.init),
            NameText.areTokens(
                host,
                byteCountMax: Self.hostByteCountMax,
                { $0.allSatisfy(NameText.isWordByte) }
            ),
            let port = parts.count == 2 ? UInt16(parts[1]) : 4_222, port > 0
        else { return nil }
        self.host = host
        self.port = port
    }

    /// The address as a server's URL.
    package var description: String { "nats://\(host):\(port)" }
}
