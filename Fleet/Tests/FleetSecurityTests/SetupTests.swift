import FleetModel
import FleetSetup
import FleetTestSupport
import Foundation
import NATS
import SystemPackage
import Testing

@Suite("Setting up a fleet")
struct SetupTests {
    private let files: TestFolder
    private let folder: SetupFolder

    init() throws {
        files = try TestFolder()
        folder = SetupFolder(FilePath(files.path("fleet")))
    }

    private func text(_ path: FilePath) -> String {
        String(decoding: TestFolder.read(path.string) ?? [], as: UTF8.self)
    }

    private func gateway(_ name: String) -> Role { .gateway(GatewayID(name)!) }

    @Test("Each user has a key that only its owner can read, and that is never replaced")
    func keys() throws {
        let roles = Role.single + [gateway("east")]
        #expect(try folder.makeKeys(for: roles).count == 8)
        var seeds: [Role: String] = [:]
        for role in roles {
            let file = folder.seedFile(of: role)
            let attributes = try FileManager.default.attributesOfItem(atPath: file.string)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            seeds[role] = text(file)
            #expect(try UserKey(seedFile: file).key.text.hasPrefix("U"))
        }
        #expect(Set(seeds.values).count == 4)
        let place = folder.seedFile(of: .operator).removingLastComponent().string
        let attributes = try FileManager.default.attributesOfItem(atPath: place)
        #expect(attributes[.posixPermissions] as? Int == 0o700)
        // Asked twice, with one more.
        let files = try folder.makeKeys(for: roles + [gateway("west")])
        #expect(files.first == folder.seedFile(of: gateway("west")) && files.count == 2)
        for role in roles { #expect(text(folder.seedFile(of: role)) == seeds[role]) }
        #expect(try folder.gateways().map(\.text) == ["east", "west"])
    }

    @Test("A seed that was moved away isn't made anew, and its user stays in the configuration")
    func movedSeed() throws {
        _ = try folder.makeKeys(for: Role.single + [gateway("east")])
        try folder.writeAccounts()
        let before = text(folder.accountsFile)
        let seed = folder.seedFile(of: gateway("east"))
        try FileManager.default.removeItem(atPath: seed.string)
        #expect(try folder.makeKeys(for: [gateway("east")]).isEmpty)
        try folder.writeAccounts()
        #expect(text(folder.accountsFile) == before)
        #expect(!FileManager.default.fileExists(atPath: seed.string))
    }

    @Test("A seed without its public key, which an interruption leaves, is used")
    func interrupted() throws {
        let east = gateway("east")
        _ = try folder.makeKeys(for: [east])
        let seed = text(folder.seedFile(of: east))
        let key = folder.path.appending("users/gateway-east.key").string
        let before = TestFolder.read(key)
        try FileManager.default.removeItem(atPath: key)
        #expect(try folder.makeKeys(for: [east]).count == 2)
        #expect(TestFolder.read(key) == before && text(folder.seedFile(of: east)) == seed)
    }

    @Test("A public key that is none is named, and nothing is written")
    func brokenKey() throws {
        _ = try folder.makeKeys(for: Role.single)
        try folder.writeAccounts()
        let before = text(folder.accountsFile)
        let key = folder.path.appending("users/console.key")
        try "U\" } ]".write(toFile: key.string, atomically: true, encoding: .utf8)
        #expect(throws: SetupError.notAKey(key)) { try folder.writeAccounts() }
        #expect(text(folder.accountsFile) == before)
    }

    @Test("The configuration of a server that somebody has changed isn't replaced")
    func changedServer() throws {
        _ = try folder.makeKeys(for: Role.single)
        let plan = ServerFile(
            servers: [ServerAddress("nats.example")!],
            protection: .none,
            storeFolder: "/var/lib/nats"
        )
        let file = try folder.writeServers(plan)[0]
        #expect(try folder.writeServers(plan) == [file])
        let changed = text(file) + "# a person's\n"
        try changed.write(toFile: file.string, atomically: true, encoding: .utf8)
        #expect(throws: SetupError.differs(file)) { try folder.writeServers(plan) }
        #expect(text(file) == changed)
    }

    @Test(
        "Servers without certificates have to be on this machine",
        arguments: [
            ("localhost:4222,localhost:4223,127.1.2.3:4224", 0), ("nats-1.example", 64),
            ("localhost,127.0.0.1,10.0.0.1", 64), ("127.example.0.1", 64), ("127.0.0", 64),
        ] as [(String, Int32)]
    )
    func plain(servers: String, code: Int32) throws {
        let files = try TestFolder()
        let folder = files.path("fleet")
        let words = ["init", "configuration", folder, "--plain", "--servers", servers]
        let output = files.path("output")
        #expect(try ChildProcess([Tool.path] + words, output: output).wait() == code)
        #expect(SetupFolder(FilePath(folder)).isThere == (code == 0))
        let text = String(decoding: TestFolder.read(output) ?? [], as: UTF8.self)
        #expect(text.contains("--plain is for servers on this machine") == (code != 0))
    }

    @Test("A server of a fleet that is made has no address of IPv6")
    func addressOfIPv6() throws {
        let files = try TestFolder()
        let folder = files.path("fleet")
        let words = ["init", "configuration", folder, "--plain", "--servers", "[::1]"]
        let output = files.path("output")
        #expect(try ChildProcess([Tool.path] + words, output: output).wait() == 64)
        let text = String(decoding: TestFolder.read(output) ?? [], as: UTF8.self)
        #expect(text.contains("a server of a fleet has a name or an IPv4 address"), "\(text)")
        #expect(!SetupFolder(FilePath(folder)).isThere)
    }

    /// One sentence stood for all of these, and named none of the servers.
    @Test(
        "What is wrong with one of the servers of a fleet is said of that one",
        arguments: [
            (
                "one.example,two.example,three.example:65000",
                "three.example:65000' must be 1 to 63535"
            ),
            ("one.example:0", "one.example:0' must be 1 to 63535"),
            ("one.example:x", "the port of 'one.example:x'"),
            ("one.example:99999", "the port of 'one.example:99999'"),
            (
                "one.example,two.example,one.example:4222",
                "one.example:4222 is one.example:4222 again"
            ),
            ("localhost,localhost:6222,localhost:1", "localhost:6222 is localhost:4222 again, or"),
            ("one.example,two/example,three.example", "'two/example' has something else"),
            ("one.example,two.example", "1, 3 or 5 servers, which decide by a majority, not 2"),
            ("one.example,,two.example", "a server is missing"),
            ("::1", "a name or an IPv4 address"),
        ]
    )
    func servers(text: String, sentence: String) throws {
        let files = try TestFolder()
        let words = ["init", "configuration", files.path("fleet"), "--servers", text]
        let output = files.path("output")
        #expect(try ChildProcess([Tool.path] + words, output: output).wait() == 64)
        let answer = String(decoding: TestFolder.read(output) ?? [], as: UTF8.self)
        #expect(answer.contains(sentence), "\(answer)")
        #expect(!SetupFolder(FilePath(files.path("fleet"))).isThere)
    }

    @Test("Others are told the name of a server, which its certificate has")
    func advertised() {
        let plan = ServerFile(
            servers: ["one.example", "two.example:4333", "three.example"]
                .map { ServerAddress($0)! },
            protection: .none,
            storeFolder: "/var/lib/nats"
        )
        let lines = plan.text(of: 1).split(separator: "\n")
        #expect(lines.contains(#"client_advertise: "two.example:4333""#))
        #expect(lines.contains(#"  advertise: "two.example:6333""#))
    }

    @Test("A text of a key is the one that other programs make of the same bytes")
    func texts() throws {
        // Of the bytes 0 to 31, made by nkeys.
        let user = UserKey(NKeySeed((0..<32).map { UInt8($0) }))
        #expect(user.key.text == "UAB2CB576PHBBPQ5ODORRZ2LYCMWPZGWGCN2KDK7DXOIMZASKUY3RLKK")
        #expect(user.seed.text == "SUAAAAICAMCAKBQHBAEQUCYMBUHA6EARCIJRIFIWC4MBSGQ3DQOR4H776Y")
        #expect(NKeySeed(user.seed.text)?.bytes == user.seed.bytes)
        for text in ["", "SUAB", user.key.text, user.seed.text.replacing("776Y", with: "776Z")] {
            #expect(NKeySeed(text) == nil)
        }
    }
}
