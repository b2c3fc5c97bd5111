import FleetModel
import FleetTestSupport
import Glibc
import Synchronization
import Testing

/// A device: a receiver of `bleota` that advertises on an adapter of its own, installs images with
/// a program, and restarts into them.
final class BluetoothDevice: Sendable {
    let id: DeviceID
    private let name: String
    private let adapter: Guest.Adapter
    private let folder: TestFolder
    private let publicKey: String
    /// What follows each version.
    private let build: String
    private let process = Mutex<ChildProcess?>(nil)

    init(_ name: String, on adapter: Guest.Adapter, at site: Site, build: String = "") {
        self.name = name
        self.build = build
        self.adapter = adapter
        folder = site.folder
        publicKey = site.publicKey
        id = adapter.device
    }

    /// Starts the receiver of a device that runs a version, and waits until it advertises. Where the
    /// bus of a busy machine takes too long, it is started again, as a service manager does.
    func start(version: String) async throws {
        let (advertising, errors) = (count(of: "advertising"), count(of: "error"))
        for attempt in 1...3 {
            let receiver = try ChildProcess(command(version), output: log)
            try await eventually("\(name) advertises", within: Guest.patience) {
                count(of: "advertising") > advertising || count(of: "error") >= errors + attempt
            }
            guard count(of: "advertising") == advertising else {
                return process.withLock { $0 = receiver }
            }
            #expect(try await receiver.end() == 75)
        }
        throw ChildProcess.Failure(description: "\(name) does not advertise")
    }

    private func command(_ version: String) -> [String] {
        [
            Guest.tool, "receive", "--advertise", "--adapter", adapter.name, "--name", name,
            "--firmware-version", version + build, "--hardware", "acme/lamp", "--trust",
            publicKey, "--store", store, "--json", "--on-trial", "--", "/bin/true",
        ]
    }

    /// Waits until an image is installed, restarts into it, and keeps it.
    func restartAfterInstalling(version: String) async throws {
        try await awaitEvent("installed", count: 1)
        try await stop()
        try await start(version: version)
        let confirm = try ChildProcess(
            [Guest.tool, "confirm", "--store", store, "--image", image],
            output: log
        )
        guard try await confirm.end(within: Guest.patience) == 0 else {
            throw ChildProcess.Failure(description: "\(name) can't confirm its image")
        }
    }

    /// Ends the receiver.
    func stop() async throws {
        guard let receiver = process.withLock({ $0.take() }) else { return }
        receiver.terminate()
        guard try await receiver.end(within: Guest.patience) == 0 else {
            throw ChildProcess.Failure(description: "the receiver of \(name) failed")
        }
    }

    var installedCount: Int { count(of: "installed") }

    /// The image that is current.
    var currentImage: [UInt8]? { TestFolder.read(image) }

    private func awaitEvent(_ event: String, count: Int) async throws {
        try await eventually("\(name): \(event)", within: Guest.patience) {
            self.count(of: event) >= count
        }
    }

    private func count(of event: String) -> Int {
        String(decoding: TestFolder.read(log) ?? [], as: UTF8.self).split(separator: "\n")
            .count { $0.contains("\"event\":\"\(event)\"") }
    }

    private var image: String { store + "/current/image" }
    private var store: String { folder.path("\(name).store") }
    private var log: String { folder.path("\(name).log") }
}
