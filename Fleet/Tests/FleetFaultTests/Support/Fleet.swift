import BLEOTA
import FleetModel
import FleetStore
import FleetTestSupport
import Glibc
import NATS

import struct Crypto.SHA256
import struct SystemPackage.FilePath

/// A whole fleet of real processes, ten times as fast as a real one: a server, two controllers,
/// three gateways, and simulated devices. Each speaks with the server over a relay of its own.
///
/// Like systemd, it starts a process again that has ended because the server isn't there.
final class Fleet {
    static let hardware = HardwareName("lamp")!
    static let version = FirmwareVersion(2, 0, 0)
    /// The exit codes after which a process is started again: not there, I/O, temporary.
    private static let passingCodes: Set<Int32> = [69, 74, 75]
    private static let divisor = "10"
    /// The pause before that, as systemd's RestartSec.
    private static let restartPause = Duration.milliseconds(200)

    let folder: TestFolder
    let server: TestServer
    let store: FleetStore
    let deviceCount: Int
    private let seed: UInt64
    private let deviceOptions: [String]
    private let relays: [Victim: Relay]
    private let faults: [Victim: ProcessFaults]
    private var processes: [Victim: ChildProcess] = [:]
    private var isDown: Set<Victim> = []
    private var restarts: [Victim: ContinuousClock.Instant] = [:]
    private var isServerDown = false

    /// - Parameter deviceOptions: what the devices do besides.
    init(seed: UInt64, deviceCount: Int, _ deviceOptions: [String] = []) async throws {
        self.seed = seed
        self.deviceCount = deviceCount
        self.deviceOptions = deviceOptions
        server = try await TestServer()
        folder = server.folder
        store = try await FleetStore.create(on: try await server.connect(), replicas: .one)
        var relays: [Victim: Relay] = [:]
        var faults: [Victim: ProcessFaults] = [:]
        for victim in Victim.allCases where victim != .server {
            faults[victim] = try ProcessFaults(in: folder, named: victim.rawValue)
            if Victim.clients.contains(victim) {
                relays[victim] = try Relay(to: server.portNumber)
            }
        }
        (self.relays, self.faults) = (relays, faults)
    }

    deinit { for relay in relays.values { relay.end() } }

    // MARK: - Processes

    func start(_ victims: [Victim] = Victim.allCases) throws {
        for victim in victims where victim != .server { try start(victim) }
    }

    private func start(_ victim: Victim) throws {
        processes[victim] = try ChildProcess(
            [Tool.path] + words(of: victim) + ["--json"],
            output: folder.path("\(victim.rawValue).log"),
            variables: faults[victim]?.variables ?? []
        )
    }

    private func words(of victim: Victim) -> [String] {
        let server = "127.0.0.1:\(relays[victim]?.port ?? 0)"
        let common = ["--server", server, "--divide-times-by", Self.divisor]
        return switch victim {
        case .server: []
        case .firstController, .secondController: ["controller"] + common
        case .east, .north, .west:
            [
                "gateway", "--name", victim.rawValue, "--cache", folder.path(victim.rawValue),
                "--sockets", folder.path("devices"), "--places", "3",
            ] + common
        case .devices:
            [
                "simulate", "--folder", folder.path("devices"), "--devices", "\(deviceCount)",
                "--rate", "40000", "--seed", "\(seed)", "--hardware", Self.hardware.text,
            ] + deviceOptions
        }
    }

    /// Starts what has ended because the server wasn't there.
    ///
    /// - Throws: that a process has ended for another reason.
    func supervise() throws {
        for (victim, process) in processes where !isDown.contains(victim) {
            guard let code = process.endCode else { continue }
            guard Self.passingCodes.contains(code) else {
                throw ChildProcess.Failure(
                    description: "\(victim.rawValue) ended with \(code): \(tail(of: victim))"
                )
            }
            let restart = restarts[victim] ?? .now + Self.restartPause
            restarts[victim] = restart
            if .now >= restart {
                restarts[victim] = nil
                try start(victim)
            }
        }
    }

    /// Ends all processes as an operator does, and returns what they said to it.
    func end() async throws -> [Victim: Int32] {
        var codes: [Victim: Int32] = [:]
        for process in processes.values { process.terminate() }
        for (victim, process) in processes {
            do { codes[victim] = try await process.end() } catch {
                throw await hung(victim, process)
            }
        }
        return codes
    }

    /// Lets a process that doesn't end say what each of its threads does.
    private func hung(_ victim: Victim, _ process: ChildProcess) async -> ChildProcess.Failure {
        process.send(SIGABRT)
        _ = try? await process.end()
        print(tail(of: victim, byteCount: 60_000))
        return ChildProcess.Failure(description: "\(victim.rawValue) did not end; see above")
    }

    /// The events that a process has printed, over all its lives.
    func log(of victim: Victim) throws -> [PrintedEvent] {
        // A line that a kill has cut is no event.
        let output = TestFolder.read(folder.path("\(victim.rawValue).log")) ?? []
        let lines = output.split(separator: UInt8(ascii: "\n"))
        return lines.compactMap { try? PrintedEvent.parse(Array($0)).first }
    }

    /// The last lines that a process has printed, the last of them first: summaries of a run show
    /// only the beginning of a text.
    func tail(of victim: Victim, byteCount: Int = 2_000) -> String {
        let output = TestFolder.read(folder.path("\(victim.rawValue).log")) ?? []
        let text = String(decoding: output.suffix(byteCount), as: UTF8.self)
        let lines = text.split(separator: "\n")
        return lines.reversed().joined(separator: " after: ")
    }

    // MARK: - Faults

    func begin(_ fault: Fault) {
        let victim = fault.victim
        switch fault.kind {
        case .kill where victim == .server:
            server.kill()
            isServerDown = true
        case .kill:
            isDown.insert(victim)
            processes[victim]?.kill()
        case .halt where victim == .server: server.halt()
        case .halt: processes[victim]?.halt()
        case .stall: relays[victim]?.set(.stalled)
        case .cut: relays[victim]?.set(.cut)
        case .slowDisk(let milliseconds): faults[victim]?.slowDisk(by: milliseconds)
        case .clock(let hours): faults[victim]?.setClock(ahead: hours * 3_600)
        }
    }

    func mend(_ fault: Fault) async throws {
        let victim = fault.victim
        switch fault.kind {
        case .kill where victim == .server:
            // Two faults may have killed it.
            guard isServerDown else { return }
            isServerDown = false
            try await server.start()
        case .kill:
            guard isDown.remove(victim) != nil else { return }
            try start(victim)
        case .halt where victim == .server: server.goOn()
        case .halt: processes[victim]?.goOn()
        case .stall, .cut: relays[victim]?.set(.open)
        case .slowDisk: faults[victim]?.slowDisk(by: 0)
        case .clock: break
        }
    }

    func relay(of victim: Victim) -> Relay? { relays[victim] }
    func faults(of victim: Victim) -> ProcessFaults? { faults[victim] }

    // MARK: - The store

    /// Stores an image, and returns its digest and its hash.
    func addImage(byteCount: Int) async throws -> (digest: Digest, sha256: [UInt8]) {
        var dice = Dice(seed: seed)
        var options = FirmwareOptions()
        options.version = Self.version.description
        let firmware = try await Firmware(
            bytes: (0..<byteCount).map { _ in UInt8.random(in: .min ... .max, using: &dice) },
            name: "firmware.bin",
            options: options
        )
        let path = folder.path("firmware.bleota")
        try firmware.write(to: path)
        let bundle = TestFolder.read(path) ?? []
        let digest = Digest(Array(SHA256.hash(data: bundle)))!
        try await store.images.store(bundle, as: digest)
        return (digest, firmware.sha256)
    }

    /// Begins a campaign once all devices are known.
    func startCampaign(_ plan: CampaignPlan) async throws {
        try await eventually("\(deviceCount) devices are known") {
            try supervise()
            return try await records().count == deviceCount
        }
        var campaign = Campaign(plan)
        campaign.handle(.start(DeviceCount(deviceCount)!))
        try await store.campaigns.create(plan.id, campaign)
    }

    func phase(_ id: CampaignID) async throws -> CampaignPhase {
        try await store.campaigns.get(id).value.phase
    }

    func records() async throws -> [DeviceRecord] {
        var records: [DeviceRecord] = []
        for try await change in try await store.devices.watch() {
            if case .value(let entry) = change { records.append(entry.value) }
            if case .caughtUp = change { break }
        }
        return records
    }

    func orderCount() async throws -> Int {
        let bucket = try await store.connection.bucket(FleetStore.Part.orders.bucket)
        return try await bucket.keys().count
    }

    /// The hash of the image in a device's own store. The devices have to be off.
    func storedImage(_ device: DeviceID) async throws -> [UInt8]? {
        let folder = FilePath(folder.path("devices/stores/\(device)"))
        return try await DirectoryStore(directory: folder).current()?.sha256
    }
}
