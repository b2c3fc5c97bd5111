import ArgumentParser
import FleetModel
import FleetSetup
import FleetStore
import Glibc
import NATS

import struct SystemPackage.FilePath

/// How every command reaches the fleet's server.
struct ServerOptions: ParsableArguments {
    /// Servers that are named by no option, with commas between them.
    static let environmentName = "BLEOTA_FLEET_SERVER"
    /// The file with the private key, and the one with authorities, that are named by no option.
    static let seedEnvironmentName = "BLEOTA_FLEET_SEED"
    static let authoritiesEnvironmentName = "BLEOTA_FLEET_TLS_CA"

    @Option(
        help: ArgumentHelp(
            "Server to connect to; repeat it for the servers of a cluster.",
            discussion: "The default is \(environmentName), with commas between servers.",
            valueName: "HOST[:PORT]"
        ),
        transform: Self.address
    )
    var server: [ServerAddress] = []

    @Option(
        help: ArgumentHelp(
            "File with the private key of the user.",
            discussion: "The default is \(seedEnvironmentName).",
            valueName: "FILE"
        ),
        completion: .file()
    )
    var seed: String?

    @Option(
        name: .customLong("tls-ca"),
        help: ArgumentHelp(
            "Authorities to trust, in PEM; turns TLS on.",
            discussion: "The default is \(authoritiesEnvironmentName).",
            valueName: "FILE"
        ),
        completion: .file()
    )
    var tlsAuthorities: String?

    @Option(
        name: .customLong("tls-cert"),
        help: ArgumentHelp("Certificate of this client; needs --tls-key.", valueName: "FILE"),
        completion: .file()
    )
    var tlsCertificate: String?

    @Option(
        name: .customLong("tls-key"),
        help: ArgumentHelp("Private key of --tls-cert.", valueName: "FILE"),
        completion: .file()
    )
    var tlsKey: String?

    func validate() throws {
        if (tlsCertificate == nil) != (tlsKey == nil) {
            throw ValidationError("--tls-cert and --tls-key need each other")
        }
        if tlsCertificate != nil, authorities == nil {
            throw ValidationError("--tls-cert needs --tls-ca")
        }
        guard server.count <= Limits.serversMax else {
            throw ValidationError("there may be \(Limits.serversMax) servers at most")
        }
    }

    /// Connects to a server.
    ///
    /// - Parameter name: what the server's lists and logs call this client.
    func connect(as name: String) async throws(ToolFailure) -> NATSConnection {
        let options = try options(name)
        do { return try await NATSConnection.open(options) } catch {
            let places = options.servers.map(\.description).joined(separator: ", ")
            throw ToolFailure(error, doing: "connecting to \(places)")
        }
    }

    /// Connects to a server, and opens the fleet that it has.
    func openStore(as name: String) async throws(ToolFailure) -> FleetStore {
        let connection = try await connect(as: name)
        do { return try await FleetStore.open(on: connection) } catch { throw ToolFailure(error) }
    }

    /// Connects to a server, and opens what a gateway uses of the fleet that it has.
    func openStore(of gateway: GatewayID, as name: String) async throws(ToolFailure) -> FleetStore {
        let connection = try await connect(as: name)
        do { return try await FleetStore.open(for: gateway, on: connection) } catch {
            guard error == .noStore else { throw ToolFailure(error) }
            throw ToolFailure(
                .unavailable,
                "nobody answers gateway \(gateway): the store must be there (bleota-fleet init), "
                    + "and the servers must know the gateway (bleota-fleet help init gateway)"
            )
        }
    }

    private func options(_ name: String) throws(ToolFailure) -> ConnectionOptions {
        var options = ConnectionOptions(servers: try servers())
        options.name = ConsumerName(name)
        if let file = seed ?? Self.environment(Self.seedEnvironmentName) {
            options.credentials = .nkey(try Self.key(ofSeedIn: file), seedFile: file)
        }
        if let authorities {
            var own: (chain: String, key: String)?
            if let tlsCertificate, let tlsKey { own = (tlsCertificate, tlsKey) }
            options.tls = .init(authorities: authorities, own: own)
        }
        return options
    }

    private func servers() throws(ToolFailure) -> [ServerAddress] {
        guard server.isEmpty else { return server }
        guard let text = Self.environment(Self.environmentName) else {
            throw ToolFailure(
                .usage,
                "which server? Give --server HOST, or set \(Self.environmentName)"
            )
        }
        let names = text.split(separator: ",").map(String.init)
        let addresses = names.compactMap { ServerAddress($0) }
        guard addresses.count == names.count, (1...Limits.serversMax).contains(names.count) else {
            throw ToolFailure(
                .usage,
                "\(Self.environmentName) must be up to \(Limits.serversMax) servers such as "
                    + "nats.example:4222 with commas between them, not '\(text)'"
            )
        }
        return addresses
    }

    private static func address(_ text: String) throws -> ServerAddress {
        guard let address = ServerAddress(text) else {
            throw ValidationError("a server is HOST or HOST:PORT, not '\(text)'")
        }
        return address
    }

    private var authorities: String? {
        tlsAuthorities ?? Self.environment(Self.authoritiesEnvironmentName)
    }

    private static func environment(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }

    private static func key(ofSeedIn file: String) throws(ToolFailure) -> NKey {
        do { return try UserKey(seedFile: FilePath(file)).key } catch { throw ToolFailure(error) }
    }
}
