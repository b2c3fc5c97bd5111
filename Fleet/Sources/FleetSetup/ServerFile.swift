package import NATS

/// The configuration of one server of a fleet.
package struct ServerFile: Sendable {
    /// The files of a certificate on the server's machine.
    package struct Certificate: Sendable, Hashable {
        package let authorities: String
        package let chain: String
        package let key: String

        package init(authorities: String, chain: String, key: String) {
            self.authorities = authorities
            self.chain = chain
            self.key = key
        }
    }

    /// How the servers are protected, beside the keys of users.
    package enum Protection: Sendable, Hashable {
        /// Not at all. The servers can be reached from their own machine only.
        case none
        case tls(Certificate, routes: Certificate, asksClients: Bool)
    }

    /// The servers of a fleet: 1, 3 or 5.
    package let servers: [ServerAddress]
    package let protection: Protection
    /// The folder on each machine in which its server has its store.
    package let storeFolder: String

    package init(servers: [ServerAddress], protection: Protection, storeFolder: String) {
        self.servers = servers
        self.protection = protection
        self.storeFolder = storeFolder
    }

    /// How far the port between servers is above the one for clients, as 6222 is above 4222.
    package static let routePortOffset: UInt16 = 2_000

    /// The text for one of the servers, from 0.
    package func text(of index: Int) -> String {
        let server = servers[index]
        return """
            # Server \(server.host) of the fleet. Made by bleota-fleet init configuration.
            server_name: "\(name(of: index))"
            host: "\(listenAddress)"
            port: \(server.port)
            # A part of an image has 128 KiB. Nothing else is as large.
            max_payload: 256KB
            # Up to 200 gateways keep four connections each; people and programs have the rest.
            max_connections: 1024
            max_subscriptions: 1024
            # Clients are told this name, as certificates have names and no addresses.
            client_advertise: "\(server.host):\(server.port)"
            \(clientTLS)jetstream {
              store_dir: "\(storeFolder)/\(name(of: index))"
              # Each write is on disk when it is acknowledged.
              sync_interval: always
              max_memory_store: 64MB
            }
            \(cluster(index))include "\(SetupFolder.accountsName)"

            """
    }

    /// Whether a path can be written between quotation marks as it is.
    package static func isQuotable(_ path: String) -> Bool {
        path.unicodeScalars.allSatisfy { $0 >= " " && $0 != "\"" && $0 != "\\" }
    }

    private func name(of index: Int) -> String { "fleet-\(index + 1)" }

    private var listenAddress: String { protection == .none ? "127.0.0.1" : "0.0.0.0" }

    private var clientTLS: String {
        guard case .tls(let certificate, _, let asksClients) = protection else { return "" }
        return tls(certificate, indent: "", verify: asksClients)
    }

    private func tls(_ files: Certificate, indent: String, verify: Bool) -> String {
        """
        \(indent)tls {
        \(indent)  ca_file: "\(files.authorities)"
        \(indent)  cert_file: "\(files.chain)"
        \(indent)  key_file: "\(files.key)"
        \(indent)  verify: \(verify)
        \(indent)}

        """
    }

    private func cluster(_ index: Int) -> String {
        guard servers.count > 1 else { return "" }
        let routes = servers.map {
            "    \"nats-route://\($0.host):\($0.port + Self.routePortOffset)\"\n"
        }
        let server = servers[index]
        let port = server.port + Self.routePortOffset
        var text = """
            cluster {
              name: "fleet"
              host: "\(listenAddress)"
              port: \(port)
              # So are other servers.
              advertise: "\(server.host):\(port)"

            """
        if case .tls(_, let certificate, _) = protection {
            text +=
                "  # Whoever has a certificate of this authority may be a server of the fleet.\n"
            text += tls(certificate, indent: "  ", verify: true)
        }
        return text + "  routes: [\n" + routes.joined() + "  ]\n}\n"
    }
}
