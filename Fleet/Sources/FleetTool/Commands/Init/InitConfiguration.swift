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
                -addext basicConstraints=critical,CA:FALSE \\
                -keyout nats-1-key.pem -out nats-1.pem

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
        transform: ServerList.argument
    )
    var servers: ServerList

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
        let others = servers.addresses.filter { !$0.isOfThisMachine }
        guard !certificates.plain || others.isEmpty else {
            throw ValidationError(
                "--plain is for servers on this machine, such as localhost:4222, not for "
                    + "\(others[0].host): without certificates, whoever is between could read and "
                    + "change everything; give --tls-ca, --tls-cert and --tls-key"
            )
        }
        guard store.hasPrefix("/"), ServerFile.isQuotable(store) else {
            throw ValidationError(
                "a folder on a server is a path from / without quotation marks, not '\(store)'"
            )
        }
    }

    private static func gateways(_ text: String) throws -> Gateways {
        Gateways(ids: try text.split(separator: ",").map { try GatewayCommand.name(String($0)) })
    }
}

extension ServerAddress {
    /// Whether nobody else reaches the server: by a name or an address of the loopback.
    fileprivate var isOfThisMachine: Bool {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        let isLoopback =
            parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
        return host == "localhost" || isLoopback
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
        for file in (files + routes).compactMap({ $0 }) {
            guard ServerFile.isQuotable(file), file.hasPrefix("/") else {
                throw ValidationError(
                    "a file on a server is a path from / without quotation marks, not '\(file)'"
                )
            }
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
