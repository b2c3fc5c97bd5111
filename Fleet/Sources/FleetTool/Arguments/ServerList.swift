import ArgumentParser
import FleetSetup
import NATS

/// The servers of a fleet that is made: the value of one option.
struct ServerList: Sendable {
    let addresses: [ServerAddress]

    static func argument(_ text: String) throws -> ServerList {
        var addresses: [ServerAddress] = []
        for text in text.split(separator: ",", omittingEmptySubsequences: false) {
            let address = try address(String(text))
            if let other = addresses.first(where: address.collides) {
                throw ValidationError(
                    "\(text) is \(other.host):\(other.port) again, or one of them has the port at "
                        + "which servers reach the other, which is 2000 above: give each server a "
                        + "host or a port of its own"
                )
            }
            addresses.append(address)
        }
        guard ReplicaCount(rawValue: addresses.count) != nil else {
            throw ValidationError(
                "a fleet has 1, 3 or 5 servers, which decide by a majority, not \(addresses.count)"
            )
        }
        return ServerList(addresses: addresses)
    }

    private static func address(_ text: String) throws -> ServerAddress {
        guard !text.isEmpty else {
            throw ValidationError("a server is missing at the beginning, the end or beside a comma")
        }
        guard let address = ServerAddress(text) else { throw ValidationError(fault(of: text)) }
        guard !address.isIPv6 else { throw ValidationError(noIPv6(text)) }
        guard address.port <= portMax else { throw ValidationError(wrongPort(of: text)) }
        return address
    }

    private static let portMax = UInt16.max - ServerFile.routePortOffset

    /// What is wrong with a text that is no address.
    private static func fault(of text: String) -> String {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        if parts.count > 2, !text.contains("//") { return noIPv6(text) }
        if let port = parts.dropFirst().last, !port.hasPrefix("//"), UInt16(port) ?? 0 == 0 {
            return wrongPort(of: text)
        }
        return "the host of a server is a name of letters, digits, '-', '_' and dots, such as "
            + "nats-1.example, or an IPv4 address; '\(text)' has something else"
    }

    private static func wrongPort(of text: String) -> String {
        "the port of '\(text)' must be 1 to \(portMax): servers reach each other on the port "
            + "\(ServerFile.routePortOffset) above it"
    }

    private static func noIPv6(_ text: String) -> String {
        "a server of a fleet has a name or an IPv4 address, which its certificate has too, not "
            + "'\(text)'"
    }
}

extension ServerAddress {
    /// Whether two servers would listen on the same port of a host: for clients, or for servers.
    fileprivate func collides(with other: ServerAddress) -> Bool {
        let offset = ServerFile.routePortOffset
        return host == other.host
            && (port == other.port || port + offset == other.port || other.port + offset == port)
    }
}
