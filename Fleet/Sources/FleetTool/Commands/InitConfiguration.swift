import ArgumentParser
import FleetModel
import FleetSetup
import NATS
import SystemPackage

/// `bleota-fleet init configuration`: makes keys, and the configuration of servers.
struct InitConfiguration: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "configuration",
        abstract: "Make the keys of a fleet's users, and the configuration of its servers.",
        discussion: """
            FOLDER/server is for the servers: start server N with nats-server --config fleet-N.conf. \
            FOLDER/seeds has the private keys: move each to the machine of its user. Run it again \
            at any time: a key that is there is never replaced.

            Certificates are yours. An authority and a certificate of it for one server:
              openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes \\
                -days 3650 -subj /CN=fleet -keyout ca-key.pem -out ca.pem
              openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes \\
                -days 825 -CA ca.pem -CAkey ca-key.pem -subj /CN=nats-1.example \\
                -addext subjectAltName=DNS:nats-1.example \\
                -keyout server-key.pem -out server.pem

            Example:
              bleota-fleet init configuration fleet \\
                --servers nats-1.example,nats-2.example,nats-3.example \\
                --tls-ca /etc/nats/ca.pem --tls-cert /etc/nats/server.pem \\
                --tls-key /etc/nats/server-key.pem --gateways hall-1,hall-2
            """
    )

    @Argument(help: "Folder, which is made if need be.", completion: .directory)
    var folder: String

    @Option(
        help: ArgumentHelp("The servers: 1, 3 or 5.", valueName: "HOST[:PORT],…"),
        transform: Self.addresses
    )
    var servers: Servers

    @Option(
        help: ArgumentHelp("Gateways to give keys.", valueName: "NAME,…"),
        transform: Self.gateways
    )
    var gateways: Gateways = Gateways(ids: [])

    @Option(
        help: ArgumentHelp("Folder on each server for its store.", valueName: "FOLDER"),
        completion: .directory
    )
    var store = "/var/lib/nats"

    @OptionGroup(title: "Certificates, as paths on the servers") var certificates: Certificates

    /// An option with one value of several parts.
    struct Servers: Sendable { let addresses: [ServerAddress] }
    struct Gateways: Sendable { let ids: [GatewayID] }

    func run() async throws {
        try await Command.run { () async throws(ToolFailure) in
            let folder = SetupFolder(FilePath(folder))
            let plan = ServerFile(
                servers: servers.addresses,
                protection: certificates.protection,
                storeFolder: store
            )
            do throws(SetupError) {
                let roles = Role.single + gateways.ids.map { .gateway($0) }
                for file in try folder.makeKeys(for: roles) { Console.print(file.string) }
                try folder.writeAccounts()
                Console.print(folder.accountsFile.string)
                for file in try folder.writeServers(plan) { Console.print(file.string) }
            } catch {
                throw ToolFailure(error)
            }
        }
    }

    func validate() throws {
        guard store.hasPrefix("/"), ServerFile.isQuotable(store) else {
            throw ValidationError(
                "a folder on a server is a path from / without quotation marks, not '\(store)'"
            )
        }
    }

    private static func addresses(_ text: String) throws -> Servers {
        let addresses = text.split(separator: ",", omittingEmptySubsequences: false)
            .compactMap { ServerAddress(String($0)) }
        guard ReplicaCount(rawValue: addresses.count) != nil,
            addresses.count == text.split(separator: ",", omittingEmptySubsequences: false).count,
            Set(addresses).count == addresses.count
        else {
            throw ValidationError(
                "servers are 1, 3 or 5 different HOST or HOST:PORT with commas between them, not "
                    + "'\(text)'"
            )
        }
        guard addresses.allSatisfy({ $0.port <= .max - ServerFile.routePortOffset }) else {
            throw ValidationError(
                "a port is 63535 at most: servers reach each other on the port 2000 above it"
            )
        }
        return Servers(addresses: addresses)
    }

    private static func gateways(_ text: String) throws -> Gateways {
        Gateways(ids: try text.split(separator: ",").map { try GatewayCommand.name(String($0)) })
    }
}

/// The certificates of servers.
struct Certificates: ParsableArguments {
    @Option(name: .customLong("tls-ca"), help: ArgumentHelp("Authority.", valueName: "FILE"))
    var authorities: String?

    @Option(
        name: .customLong("tls-cert"),
        help: ArgumentHelp("Certificate of the server.", valueName: "FILE")
    )
    var chain: String?

    @Option(name: .customLong("tls-key"), help: ArgumentHelp("Its key.", valueName: "FILE"))
    var key: String?

    @Flag(
        name: .customLong("tls-clients"),
        help: "Let only clients in that have a certificate of --tls-ca; needs --route-ca."
    )
    var asksClients = false

    @Option(
        help: ArgumentHelp(
            "Authority of certificates for servers alone; --tls-ca by default.",
            valueName: "FILE"
        )
    )
    var routeCa: String?

    @Option(
        help: ArgumentHelp("Certificate for other servers; needs --route-ca.", valueName: "FILE")
    )
    var routeCert: String?

    @Option(help: ArgumentHelp("Its key.", valueName: "FILE"))
    var routeKey: String?

    @Flag(help: "No certificates: servers that only their own machine reaches, for trying.")
    var plain = false

    func validate() throws {
        let files = [authorities, chain, key]
        let routes = [routeCa, routeCert, routeKey]
        guard (files + routes).allSatisfy({ $0.map(ServerFile.isQuotable) ?? true }) else {
            throw ValidationError("a path has no quotation marks, '\\' or ends of lines")
        }
        if plain {
            guard (files + routes).allSatisfy({ $0 == nil }), !asksClients else {
                throw ValidationError("--plain has no certificates")
            }
            return
        }
        guard files.allSatisfy({ $0 != nil }) else {
            throw ValidationError(
                "give --tls-ca, --tls-cert and --tls-key, or --plain for trying on one machine"
            )
        }
        guard routes.allSatisfy({ $0 != nil }) || routes.allSatisfy({ $0 == nil }) else {
            throw ValidationError("--route-ca, --route-cert and --route-key need each other")
        }
        guard !asksClients || routeCa != nil else {
            throw ValidationError(
                "--tls-clients needs --route-ca: with a certificate of the same authority, a "
                    + "client could pass for a server"
            )
        }
    }

    var protection: ServerFile.Protection {
        guard let authorities, let chain, let key else { return .none }
        let own = ServerFile.Certificate(authorities: authorities, chain: chain, key: key)
        guard let routeCa, let routeCert, let routeKey else {
            return .tls(own, routes: own, asksClients: asksClients)
        }
        let routes = ServerFile.Certificate(
            authorities: routeCa,
            chain: routeCert,
            key: routeKey
        )
        return .tls(own, routes: routes, asksClients: asksClients)
    }
}
