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

    package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
