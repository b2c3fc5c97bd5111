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

    /// How many seconds to wait for a server's answer, for tests on busy machines; no help shows it.
    private static let answerLimitEnvironmentName = "BLEOTA_FLEET_ANSWER_LIMIT"

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
    /// - Parameters:
    ///   - name: what the server's lists and logs call this client.
    ///   - role: whose work it is.
    ///   - seedLimit: how long the connection waits for a seed that is gone, if not as long as usual.
    func connect(
        as name: String,
        _ role: Role = .operator,
        seedLimit: Duration? = nil
    ) async throws(ToolFailure) -> NATSConnection {
        var options = try options(name)
        if let seedLimit { options.seedLimit = seedLimit }
        do { return try await NATSConnection.open(options) } catch {
            let places = options.servers.map(\.description).joined(separator: ", ")
            switch (error, options.credentials) {
            // No server was asked yet.
            case (.unreadableFile, _): throw ToolFailure(error, as: role)
            case (.refusedCredentials, .none): throw .noSeed(for: places, role)
            case (.disconnected, _): throw Self.unreachable(options.servers, error, places, role)
            default: throw ToolFailure(error, doing: "connecting to \(places)", as: role)
            }
        }
    }

    /// No server can be reached. A name without an address looks like a closed port to libnats.
    private static func unreachable(
        _ servers: [ServerAddress],
        _ error: NATSError,
        _ places: String,
        _ role: Role
    ) -> ToolFailure {
        for server in servers {
            guard let why = server.lookupProblem else { continue }
            return ToolFailure(
                .unavailable,
                "connecting to \(places): \(server.host) has no address (\(why)); check how it is "
                    + "spelled, and whether this machine knows the name (getent hosts "
                    + "\(server.host))"
            )
        }
        return ToolFailure(error, doing: "connecting to \(places)", as: role)
    }

    /// Connects to a server, and opens the fleet that it has.
    func openStore(
        as name: String,
        _ role: Role = .operator
    ) async throws(ToolFailure) -> FleetStore {
        let connection = try await connect(as: name, role)
        do { return try await FleetStore.open(on: connection) } catch {
            throw ToolFailure(error, as: role)
        }
    }

    /// Connects to a server, and opens what a gateway uses of the fleet that it has.
    func openStore(
        of gateway: GatewayID,
        as name: String,
        seedLimit: Duration? = nil
    ) async throws(ToolFailure) -> FleetStore {
        let role = Role.gateway(gateway)
        let connection = try await connect(as: name, role, seedLimit: seedLimit)
        do { return try await FleetStore.open(for: gateway, on: connection) } catch {
            switch error {
            case .noStore:
                throw ToolFailure(
                    .unavailable,
                    "nobody answers gateway \(gateway): servers that have just started have no "
                        + "leader for some seconds; if it stays so, the store must be there "
                        + "(bleota-fleet init), and the servers must know the gateway "
                        + "(bleota-fleet help init gateway)"
                )
            case .nats(.notPermitted):
                throw ToolFailure(
                    .noPermission,
                    "the name \(gateway) and the seed don't fit: the servers don't let the owner of "
                        + "this seed speak for \(gateway); give --name the gateway of the seed, or "
                        + "--seed the file \(role.name).seed"
                )
            default: throw ToolFailure(error, as: role)
            }
        }
    }

    /// Which servers do not answer, if that may be why something failed; `nil` otherwise.
    func explanation(of failure: ToolFailure) async -> ToolFailure? {
        guard failure.isLackOfLeader, let options = try? options("bleota-fleet-probe"),
            let answers = await Quorum.answers(of: options)
        else { return nil }
        return ToolFailure(answers)
    }

    private func options(_ name: String) throws(ToolFailure) -> ConnectionOptions {
        var options = ConnectionOptions(servers: try servers())
        options.name = ConsumerName(name)
        if let seconds = Self.environment(Self.answerLimitEnvironmentName).flatMap({ UInt8($0) }) {
            options.requestLimit = .seconds(seconds)
            options.connectLimit = options.requestLimit
        }
        if let file = seed ?? Self.environment(Self.seedEnvironmentName) {
            options.credentials = .nkey(try Self.key(ofSeedIn: file), seedFile: file)
        }
        if let authorities {
            // libnats takes the brackets for a part of the name, and would refuse the certificate.
            if let server = options.servers.first(where: \.isIPv6) {
                throw ToolFailure(
                    .usage,
                    "\(server) can't be compared with a certificate, which is done for names and "
                        + "IPv4 addresses alone: name the server as its certificate does"
                )
            }
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
        guard !text.contains(",") else {
            throw ValidationError(
                "--server takes one server: repeat it for each, as in --server nats-1.example "
                    + "--server nats-2.example"
            )
        }
        guard let address = ServerAddress(text) else {
            throw ValidationError(
                "a server is HOST or HOST:PORT, such as nats.example:4222 or 192.0.2.7, not "
                    + "'\(text)'"
            )
        }
        return address
    }

    private var authorities: String? {
        tlsAuthorities ?? Self.environment(Self.authoritiesEnvironmentName)
    }

    /// The value of a variable. One that is empty counts as not set: units set variables that an
    /// administrator then leaves empty.
    private static func environment(_ name: String) -> String? {
        guard let value = getenv(name), value.pointee != 0 else { return nil }
        return String(cString: value)
    }

    private static func key(ofSeedIn file: String) throws(ToolFailure) -> NKey {
        // A seed isn't printed.
        guard NKey(file) == nil, NKeySeed(file) == nil else {
            throw ToolFailure(
                .usage,
                "--seed (or \(seedEnvironmentName)) takes the name of a file, such as "
                    + "operator.seed, and not the text of a key"
            )
        }
        do { return try UserKey(seedFile: FilePath(file)).key } catch {
            let failure = ToolFailure(error)
            guard case .disk(_, let cause) = error else { throw failure }
            throw ToolFailure(
                failure.status,
                "the seed \(file) can't be read: \(cause); check --seed (or \(seedEnvironmentName))"
            )
        }
    }
}
