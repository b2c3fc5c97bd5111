import BLEOTA
import FleetTestSupport
import NATS

/// The processes of the demonstration: a server, a controller, three gateways and simulated
/// devices, each the real program.
final class Stage: Sendable {
    static let deviceCount = 60
    static let gateways = ["hall", "roof", "yard"]
    static let factory = "1.0.0"

    let folder: TestFolder
    let server: TestServer

    init() async throws {
        folder = try TestFolder()
        server = try await TestServer(in: folder)
    }

    // MARK: - Processes

    func controller() throws -> ChildProcess { try start("controller", ["controller"] + address) }

    func gateway(_ name: String) throws -> ChildProcess {
        let folders = [
            "--cache", folder.path("cache-\(name)"), "--sockets", folder.path("devices"),
        ]
        return try start(name, ["gateway", "--name", name] + folders + address)
    }

    /// - Parameter broken: a version that doesn't start on any of them.
    func devices(broken: String) throws -> ChildProcess {
        try start(
            "devices",
            [
                "simulate", "--folder", folder.path("devices"), "--devices", "\(Self.deviceCount)",
                "--loss", "2", "--rate", "64000", "--broken", broken,
            ]
        )
    }

    private var address: [String] { ["--server", server.address.description] }

    private func start(_ name: String, _ words: [String]) throws -> ChildProcess {
        try ChildProcess([Tool.path] + words + ["--json"], output: folder.path("\(name).log"))
    }

    /// What a process has printed so far, over all its lives. A line that a kill has cut is left
    /// out.
    func events(of name: String) -> [PrintedEvent] {
        let output = TestFolder.read(folder.path("\(name).log")) ?? []
        return output.split(separator: UInt8(ascii: "\n")).compactMap {
            try? PrintedEvent.parse(Array($0)).first
        }
    }

    // MARK: - Commands

    /// Runs a command as an operator does, and returns what it prints.
    func run(_ words: [String]) throws -> String {
        try ChildProcess.output(of: [Tool.path] + words + address, in: folder)
    }

    /// Writes an image of random bytes, and returns its path.
    func image(version: String, byteCount: Int) async throws -> String {
        var options = FirmwareOptions()
        options.version = version
        let firmware = try await Firmware(
            bytes: (0..<byteCount).map { _ in UInt8.random(in: .min ... .max) },
            name: "lamp.bin",
            options: options
        )
        let path = folder.path("lamp-\(version).bleota")
        try firmware.write(to: path)
        return path
    }
}
