import FleetModel
import FleetSetup
import FleetStore
import FleetTestSupport
import Glibc
import NATS
import SystemPackage

/// A server that has exactly the configuration that `bleota-fleet init configuration` makes, and
/// the keys of its users.
final class SecuredFleet: @unchecked Sendable {
    static let gateways = ["east", "west"].map { GatewayID($0)! }

    let files: TestFolder
    let folder: SetupFolder
    let address: ServerAddress
    private var process: ChildProcess?

    /// Makes keys and a configuration, starts a server with it, and makes the store.
    init() async throws {
        files = try TestFolder()
        folder = SetupFolder(FilePath(files.path("fleet")))
        address = ServerAddress("localhost:\(try FreePort.next())")!
        _ = try folder.makeKeys(for: Role.single + Self.gateways.map { .gateway($0) })
        try folder.writeAccounts()
        let plan = ServerFile(
            servers: [address],
            protection: .none,
            storeFolder: files.path("store")
        )
        let file = try folder.writeServers(plan)[0]
        let words = [TestServer.program ?? "", "--config", file.string]
        process = try ChildProcess(words, output: files.path("server.log"))
        try await eventually("the server listens") {
            (try? RawClient(port: self.address.port, user: try self.user(.operator))) != nil
        }
        _ = try await FleetStore.create(on: try await connect(.operator), replicas: .one)
    }

    func user(_ role: Role) throws -> UserKey { try UserKey(seedFile: folder.seedFile(of: role)) }

    func raw(_ role: Role) throws -> RawClient {
        try RawClient(port: address.port, user: try user(role))
    }

    func connect(_ role: Role) async throws -> NATSConnection {
        var options = ConnectionOptions(toTest: [address])
        let file = folder.seedFile(of: role)
        options.credentials = .nkey(try user(role).key, seedFile: file.string)
        return try await NATSConnection.open(options)
    }

    /// The store as a role opens it.
    func store(_ role: Role) async throws -> FleetStore {
        let connection = try await connect(role)
        if case .gateway(let id) = role { return try await .open(for: id, on: connection) }
        return try await .open(on: connection)
    }

    /// How many messages each stream has had, by which nothing was written or deleted if it is the
    /// same later.
    func streams(_ connection: NATSConnection) async throws -> [String: StreamState] {
        var states: [String: StreamState] = [:]
        let names = FleetStore.Part.allCases.map { "KV_\($0.bucket)" } + ["fleet-audit"]
        for name in names {
            states[name] = try await connection.state(of: StreamName(name)!)
        }
        return states
    }
}
