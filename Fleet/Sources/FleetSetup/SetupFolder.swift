package import FleetModel
import NATS
package import SystemPackage

/// A folder with the keys of a fleet's users and the configuration of its servers.
///
///     seeds/operator.seed       the private key of a user: for the machine of that user alone
///     users/operator.key        the public key of the same user
///     server/accounts.conf      who may do what, made from all public keys
///     server/fleet-1.conf       the rest of the configuration of a server
///
/// Seeds may be moved away: the public keys alone are read again. A key is never replaced.
package struct SetupFolder: Sendable {
    package static let accountsName = "accounts.conf"

    package let path: FilePath

    package init(_ path: FilePath) { self.path = path }

    private var seeds: FilePath { path.appending("seeds") }
    private var users: FilePath { path.appending("users") }
    private var server: FilePath { path.appending("server") }

    package func seedFile(of role: Role) -> FilePath { seeds.appending("\(role.name).seed") }
    package var accountsFile: FilePath { server.appending(Self.accountsName) }
    private func keyFile(of role: Role) -> FilePath { users.appending("\(role.name).key") }

    /// Where the seed of a public key was made, as far as the key's path tells.
    static func seedFile(of key: FilePath) -> FilePath {
        let name = "\(key.stem ?? "operator").seed"
        let place = key.removingLastComponent()
        guard place.lastComponent == "users" else { return FilePath(name) }
        return place.removingLastComponent().appending("seeds").appending(name)
    }

    /// Whether somebody has set up a fleet here.
    package var isThere: Bool { SetupDisk.exists(keyFile(of: .operator)) }

    // MARK: - Keys

    /// Gives each role a key pair that has none yet.
    ///
    /// - Returns: the files that were made.
    package func makeKeys(for roles: [Role]) throws(SetupError) -> [FilePath] {
        for folder in [path, users, server] { try SetupDisk.makeFolder(folder, mode: 0o755) }
        try SetupDisk.makeFolder(seeds, mode: 0o700)
        var files: [FilePath] = []
        for role in roles where !SetupDisk.exists(keyFile(of: role)) {
            // A seed without its public key is what an interruption leaves, and is used.
            let user = try seed(of: role).map { UserKey($0) } ?? UserKey()
            if !SetupDisk.exists(seedFile(of: role)) {
                try SetupDisk.create(
                    seedFile(of: role),
                    user.seed.text + "\n",
                    mode: .ownerReadWrite
                )
            }
            try SetupDisk.create(
                keyFile(of: role),
                user.key.text + "\n",
                mode: SetupDisk.everybodysMode
            )
            files += [seedFile(of: role), keyFile(of: role)]
        }
        return files
    }

    private func seed(of role: Role) throws(SetupError) -> NKeySeed? {
        let file = seedFile(of: role)
        return SetupDisk.exists(file) ? try UserKey(seedFile: file).seed : nil
    }

    private func key(of role: Role) throws(SetupError) -> NKey? {
        let file = keyFile(of: role)
        guard let text = try SetupDisk.read(file) else { return nil }
        guard let key = NKey(text.trimmed) else { throw .notAKey(file) }
        return key
    }

    // MARK: - Configuration

    /// Writes who may do what, from all public keys.
    package func writeAccounts() throws(SetupError) {
        var keys: [Role: NKey] = [:]
        for role in Role.single { keys[role] = try key(of: role) }
        var gateways: [GatewayID: NKey] = [:]
        for id in try self.gateways() { gateways[id] = try key(of: .gateway(id)) }
        try SetupDisk.replace(accountsFile, AccountsFile(users: keys, gateways: gateways).text)
    }

    /// The gateways that have a key.
    package func gateways() throws(SetupError) -> [GatewayID] {
        let (prefix, suffix) = ("gateway-", ".key")
        return try SetupDisk.names(in: users).compactMap { name in
            guard name.hasPrefix(prefix), name.hasSuffix(suffix) else { return nil }
            return GatewayID(String(name.dropFirst(prefix.count).dropLast(suffix.count)))
        }.sorted()
    }

    /// Writes the configuration of each server. One that is there already must be the same: a
    /// person may have changed it.
    ///
    /// - Returns: the files, in the order of the servers.
    package func writeServers(_ plan: ServerFile) throws(SetupError) -> [FilePath] {
        var files: [FilePath] = []
        for index in plan.servers.indices {
            let file = server.appending("fleet-\(index + 1).conf")
            let text = plan.text(of: index)
            if let present = try SetupDisk.read(file) {
                guard present == text else { throw .differs(file) }
            } else {
                try SetupDisk.create(file, text, mode: SetupDisk.everybodysMode)
            }
            files.append(file)
        }
        return files
    }
}

extension String {
    /// Without the spaces and ends of lines around it.
    var trimmed: String {
        String(drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
    }
}
