import Foundation
package import Glibc
package import NATS

/// A real nats-server with a store of its own, on a port that the system chose.
package final class TestServer: @unchecked Sendable {
    /// What a test is skipped with where there is none.
    package static let isMissing = "there is no nats-server: run Fleet/scripts/server.sh"

    /// The program; `nil` if there is none.
    package static let program: String? = {
        guard let folder = try? TestFolder() else { return nil }
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let script = package.appendingPathComponent("scripts/server.sh").path
        let output = try? ChildProcess.output(of: [script, "--has"], in: folder)
        return output?.split(separator: "\n").map(String.init).last { $0.hasPrefix("/") }
    }()

    package static var isThere: Bool { program != nil }

    package let folder: TestFolder
    private let configuration: String
    private let host: String
    private var process: ChildProcess?
    /// 0 until the server has started for the first time.
    private var port: UInt16 = 0

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - extra: lines of its configuration, such as users or certificates.
    ///   - host: the address at which it listens.
    package init(
        _ extra: String = "",
        in folder: TestFolder? = nil,
        host: String = "127.0.0.1"
    ) async throws {
        self.folder = try folder ?? TestFolder()
        self.host = host
        configuration = extra
        try await start()
    }

    /// Where it listens, by a name, which certificates need.
    package var address: ServerAddress { ServerAddress("localhost:\(port)")! }
    package var options: ConnectionOptions { ConnectionOptions(toTest: [address]) }
    /// The same on every start.
    package var portNumber: UInt16 { port }

    package func connect() async throws -> NATSConnection { try await NATSConnection.open(options) }

    /// The number of its process, while it runs.
    package var id: pid_t? { process?.id }

    /// Kills the server, which has no time to write anything.
    package func kill() {
        process?.kill()
        process = nil
    }

    /// Stops the server where it is, as a disk does that doesn't answer, until ``goOn()``.
    package func halt() { process?.halt() }
    package func goOn() { process?.goOn() }

    /// Starts the server, again on the same port with the same store. Buckets reserve more of a disk
    /// than they use here, and a guest has a small one.
    package func start() async throws {
        let file = try folder.write(
            """
            host: "\(host)"
            port: \(port == 0 ? -1 : Int(port))
            ports_file_dir: "\(folder.path(""))"
            jetstream: { store_dir: "\(folder.path("store"))", max_file_store: 16GB }
            \(configuration)
            """,
            to: "server.conf"
        )
        let log = folder.path("log")
        let process = try ChildProcess([Self.program ?? "", "--config", file], output: log)
        self.process = process
        let ports = folder.path("nats-server_\(process.id).ports")
        try await eventually("the server listens") { TestFolder.read(ports)?.isEmpty == false }
        struct Ports: Decodable {
            let nats: [String]
        }
        let data = Data(TestFolder.read(ports) ?? [])
        let url = try JSONDecoder().decode(Ports.self, from: data).nats.first
        guard let number = url?.split(separator: ":").last, let port = UInt16(number) else {
            throw ChildProcess.Failure(description: "no port in \(ports)")
        }
        self.port = port
    }
}
