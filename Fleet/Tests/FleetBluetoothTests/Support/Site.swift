import FleetModel
import FleetStore
import FleetTestSupport
import Foundation
import NATS

/// A server with a fleet, and the tool as an operator runs it.
final class Site: Sendable {
    let folder: TestFolder
    let server: TestServer
    let store: FleetStore

    /// Makes the fleet, as `bleota-fleet init` does.
    init() async throws {
        server = try await TestServer()
        folder = server.folder
        try await Self.run(["init"], server, folder)
        store = try await FleetStore.open(on: try await server.connect())
    }

    /// Makes a key, and signs an image that can't be compressed with it.
    func makeBundle(version: String) async throws -> (path: String, image: [UInt8]) {
        let image = (0..<(64 << 10)).map { _ in UInt8.random(in: .min ... .max) }
        let (file, bundle) = (folder.path("lamp.bin"), folder.path("lamp.bleota"))
        try Data(image).write(to: URL(fileURLWithPath: file))
        try await Self.run(Guest.tool, ["key", "generate", key], in: folder)
        try await Self.run(
            Guest.tool,
            [
                "sign", file, "--key", key, "--version", version, "--hardware", "acme/lamp",
                "--output", bundle,
            ],
            in: folder
        )
        return (bundle, image)
    }

    private var key: String { folder.path("release.pem") }
    /// What devices trust.
    var publicKey: String { "\(key).pub" }

    // MARK: - The tool

    /// Runs a command of the fleet's tool to its end.
    func run(_ words: [String]) async throws { try await Self.run(words, server, folder) }

    private static func run(
        _ words: [String],
        _ server: TestServer,
        _ folder: TestFolder
    ) async throws {
        try await run(Tool.path, words + ["--server", server.address.description], in: folder)
    }

    private static func run(
        _ program: String,
        _ words: [String],
        in folder: TestFolder
    ) async throws {
        let log = folder.path("\(words[0]).log")
        let process = try ChildProcess([program] + words, output: log)
        guard try await process.end(within: Guest.patience) == 0 else {
            let text = String(decoding: TestFolder.read(log) ?? [], as: UTF8.self)
            throw ChildProcess.Failure(description: "\(words): \(text)")
        }
    }

    /// Starts a command that runs until it is ended.
    func start(_ command: String, _ words: [String]) throws -> ChildProcess {
        try ChildProcess(
            [Tool.path, command] + words + ["--server", server.address.description],
            output: folder.path("\(command).log")
        )
    }

    /// Prints what all processes have printed, for whoever looks into a failure.
    func printLogs() {
        for name in ["log", "controller.log", "gateway.log", "lamp-kitchen.log", "lamp-cellar.log"]
        {
            let text = String(decoding: TestFolder.read(folder.path(name)) ?? [], as: UTF8.self)
            print("--- \(name)")
            for line in text.split(separator: "\n").suffix(30) { print(line) }
        }
    }

    // MARK: - The store

    func awaitRecord(
        of device: DeviceID,
        _ what: String,
        _ condition: (DeviceRecord) -> Bool
    ) async throws {
        try await eventually("\(device) \(what)", within: Guest.patience) {
            try await present(store.devices, device).map(condition) ?? false
        }
    }

    func awaitSighting(of device: DeviceID, at gateway: String, version: String) async throws {
        let name = DeviceAtGateway(device, at: GatewayID(gateway)!)
        try await eventually("\(device) advertises \(version)", within: Guest.patience) {
            try await present(store.sightings, name)?.version == FirmwareVersion(version)
        }
    }

    func orderCount() async throws -> Int {
        try await store.connection.bucket(FleetStore.Part.orders.bucket).keys().count
    }

    private func present<Name, Value>(
        _ shelf: Shelf<Name, Value>,
        _ name: Name
    ) async throws -> Value? {
        do { return try await shelf.get(name).value } catch {
            guard error == .nats(.notFound) else { throw error }
            return nil
        }
    }
}
