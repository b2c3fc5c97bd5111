import BLEOTA
import FleetSetup
import FleetTestSupport
import Foundation
import Glibc
import NATS

import struct SystemPackage.FilePath

/// A fleet that is set up with the tool alone, and its servers with certificates.
final class ToolFleet: @unchecked Sendable {
    static let plan = [
        "--allow-unsigned", "--hardware", "lamp", "--stages", "50,100", "--max-failures", "0",
    ]

    let files: TestFolder
    let folder: String
    let ports: [UInt16]
    private let variables: [String]
    private let authority: TestAuthority
    private var servers: [Int: ChildProcess] = [:]
    private var runCount = 0
    /// By process, the file to which it prints.
    private var outputs: [Int32: String] = [:]

    /// Makes keys, and the configuration of servers.
    ///
    /// - Parameter variables: what the tool is told of how long it waits.
    init(servers count: Int = 1, variables: [String] = Patience.variables) throws {
        self.variables = variables
        files = try TestFolder()
        folder = files.path("fleet")
        ports = try (0..<count).map { _ in try FreePort.next() }
        authority = try TestAuthority(in: files, name: "ours", host: "localhost")
        let words = [
            Tool.path, "init", "configuration", folder,
            "--servers", ports.map { "localhost:\($0)" }.joined(separator: ","),
            "--tls-ca", authority.certificate, "--tls-cert", authority.serverCertificate,
            "--tls-key", authority.serverKey, "--store", files.path("store"), "--gateways", "east",
        ]
        _ = try ChildProcess.output(of: words, in: files)
    }

    /// Starts all servers, and waits until each is there.
    func start() async throws {
        for index in ports.indices { try begin(server: index) }
        for index in ports.indices {
            try await eventually("server \(index) is there") {
                serverLog(index).contains("Server is ready")
            }
        }
    }

    func begin(server index: Int) throws {
        let file = "\(folder)/server/fleet-\(index + 1).conf"
        servers[index] = try ChildProcess(
            [TestServer.program ?? "", "--config", file],
            output: files.path("server-\(index).log")
        )
    }

    func kill(server index: Int) { servers.removeValue(forKey: index)?.kill() }

    /// Connects with the key of a user.
    ///
    /// - Parameter host: what the servers are called; their certificates have `localhost`.
    func connect(as user: String, host: String = "localhost") async throws -> NATSConnection {
        var options = ConnectionOptions(toTest: ports.map { ServerAddress("\(host):\($0)")! })
        let seed = FilePath("\(folder)/seeds/\(user).seed")
        options.credentials = .nkey(try UserKey(seedFile: seed).key, seedFile: seed.string)
        options.tls = .init(authorities: authority.certificate)
        return try await NATSConnection.open(options)
    }

    /// Lets the server read its configuration again, twice: it takes in the subjects of a new
    /// account at the second.
    func reload() async throws {
        for _ in 0..<2 {
            let count = reloadCount
            if let server = servers[0] { Glibc.kill(server.id, SIGHUP) }
            try await eventually("the server has read it") { reloadCount > count }
        }
    }

    private var reloadCount: Int {
        serverLog(0).split(separator: "\n").count { $0.contains("Reloaded server configuration") }
    }

    func serverLog(_ index: Int = 0) -> String { text("server-\(index).log") }

    private func text(_ name: String) -> String {
        String(decoding: TestFolder.read(files.path(name)) ?? [], as: UTF8.self)
    }

    // MARK: - Commands

    /// Starts the tool.
    ///
    /// - Parameters:
    ///   - user: whose key it has; `nil` for none.
    ///   - output: the name of the file to which it prints.
    private func begin(
        _ words: [String],
        as user: String?,
        seeds: ToolFleet? = nil,
        output: String
    ) throws -> ChildProcess {
        var options: [String] = []
        if words.prefix(2) != ["init", "gateway"], words.first != "simulate" {
            options = ["--tls-ca", authority.certificate]
            for port in ports { options += ["--server", "localhost:\(port)"] }
        }
        if let user { options += ["--seed", "\((seeds ?? self).folder)/seeds/\(user).seed"] }
        return try ChildProcess(
            [Tool.path] + words + options,
            output: files.path(output),
            variables: variables
        )
    }

    func begin(_ words: [String], as user: String?) throws -> ChildProcess {
        runCount += 1
        let output = "\(runCount)-\(words[0]).log"
        let process = try begin(words, as: user, output: output)
        outputs[process.id] = output
        return process
    }

    /// Runs the tool, and returns its exit code.
    func run(_ words: [String], as user: String?, seeds: ToolFleet? = nil) async throws -> Int32 {
        try await answer(to: words, as: user, seeds: seeds).code
    }

    /// Runs the tool, and returns its exit code and what it printed.
    func answer(
        to words: [String],
        as user: String?,
        seeds: ToolFleet? = nil
    ) async throws -> (code: Int32, text: String) {
        runCount += 1
        let output = "\(runCount)-\(words[0]).log"
        let code = try await begin(words, as: user, seeds: seeds, output: output).end()
        if code != 0 { print("\(words.prefix(3)) as \(user ?? "nobody"): \(code) \(text(output))") }
        return (code, text(output))
    }

    /// The file of a user's seed.
    func seed(of user: String) -> String { "\(folder)/seeds/\(user).seed" }

    /// What a process has printed so far.
    func output(of process: ChildProcess) -> String { text(outputs[process.id] ?? "none") }

    /// Runs the tool again and again until it prints what a test waits for.
    func awaitOutput(
        of words: [String],
        as user: String,
        _ isRight: @Sendable (String) -> Bool
    ) async throws {
        try await eventually("\(words) prints what it should") {
            runCount += 1
            let output = "\(runCount)-\(words[0]).log"
            guard try await begin(words, as: user, output: output).end() == 0 else { return false }
            return isRight(text(output))
        }
    }

    // MARK: - Processes

    private var sockets: String { files.path("devices") }

    func devices(_ count: Int, _ options: [String] = []) throws -> ChildProcess {
        let words = ["simulate", "--folder", sockets, "--devices", "\(count)"]
        return try begin(words + options, as: nil)
    }

    func gatewayWords(_ name: String) -> [String] {
        ["gateway", "--name", name, "--cache", files.path("cache-\(name)"), "--sockets", sockets]
    }

    func gateway(_ name: String) throws -> ChildProcess {
        try begin(gatewayWords(name), as: "gateway-\(name)")
    }

    /// A bundle of 2.0.0 for lamps.
    func image() async throws -> String {
        var options = FirmwareOptions()
        options.version = "2.0.0"
        let firmware = try await Firmware(
            bytes: (0..<60_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) },
            name: "firmware.bin",
            options: options
        )
        let path = files.path("lamp-2.0.0.bleota")
        try firmware.write(to: path)
        return path
    }
}
