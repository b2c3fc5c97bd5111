import FleetModel
import FleetStore
import FleetTestSupport
import Foundation
import NATS

/// The measurement of one number of devices.
final class Trial {
    private static let measured = Duration.seconds(10)

    private let deviceCount: Int
    private var result = Result()
    private var server: TestServer!
    private var store: FleetStore!

    init(deviceCount: Int) {
        self.deviceCount = deviceCount
        result.deviceCount = deviceCount
    }

    func run() async throws -> Result {
        server = try await TestServer()
        let connection = try await server.connect()
        store = try await FleetStore.create(on: connection, replicas: .one)
        try await fill(connection)

        let begin = ContinuousClock.now
        let controller = try process("controller", [])
        try await controller.await("ready(")
        result.reading = begin.duration(to: .now)
        result.idleBytes = try controller.observed().residentBytes

        let standby = try process("controller", [])
        try await standby.await("waiting(")
        try await steady(controller)
        try await fast(controller)
        result.peakBytes = try controller.observed().peakBytes
        result.serverBytes = try Observed(server.id!).residentBytes

        controller.process.kill()
        let end = ContinuousClock.now
        try await standby.await("ready(", within: .seconds(300))
        result.takeover = end.duration(to: .now)
        return result
    }

    private func fill(_ connection: NATSConnection) async throws {
        let count = deviceCount
        try await Filling.fill(connection, .devices, count: count) { number in
            (Sample.device(number).text, Sample.record(number, of: count).bytes)
        }
        try await Filling.fill(connection, .sightings, count: 2 * count) { number in
            let (gateway, dBm) = Sample.gateways(of: number / 2)[number % 2]
            return ("\(gateway).\(Sample.device(number / 2))", Sample.sighting(dBm: dBm).bytes)
        }
    }

    // MARK: - Parts

    /// 10,000 jobs, and each device heard every ten minutes.
    private func steady(_ controller: Process) async throws {
        let gateways = try startGateways(hold: 30_000, sightingsPerSecond: deviceCount / 600)
        for process in gateways { try await process.await("beat") }
        var campaign = Campaign(Sample.plan)
        campaign.handle(.start(DeviceCount(deviceCount)!))
        try await store.campaigns.create(Sample.campaign, campaign)
        // A third of a push later, the places are full.
        try await Task.sleep(for: .seconds(10))
        let before = try controller.observed()
        let begin = ContinuousClock.now
        try await Task.sleep(for: Self.measured)
        let computed = try controller.observed().computed - before.computed
        result.load = computed / begin.duration(to: .now)
        result.jobCount = try await jobCount()
        result.status = try await status()
        for process in gateways { process.process.kill() }
    }

    /// Pushes that take no time.
    private func fast(_ controller: Process) async throws {
        let before = try await ended()
        let begin = ContinuousClock.now
        let gateways = try startGateways(hold: 0, sightingsPerSecond: 0)
        var last = (count: before, time: begin)
        while begin.duration(to: .now) < Self.measured {
            try await Task.sleep(for: .milliseconds(200))
            let count = try await ended()
            if count > last.count { last = (count, .now) }
            if try await jobsLeft() == 0 { break }
        }
        let seconds = begin.duration(to: last.time) / .seconds(1)
        result.outcomesPerSecond = seconds > 0 ? Double(last.count - before) / seconds : 0
        for process in gateways { process.process.kill() }
    }

    private func progress() async throws -> Tally.Counts {
        try await store.progress.get(Sample.campaign).value.counts
    }

    private func ended() async throws -> Int { try await progress().ended.number }

    private func jobCount() async throws -> Int {
        let counts = try await progress()
        return counts.given.number - counts.ended.number
    }

    /// The devices that still can be updated.
    private func jobsLeft() async throws -> Int {
        let step = max(10, deviceCount / Sample.waitingMax)
        let waiting = (deviceCount + step - 1) / step
        return deviceCount - waiting - (try await ended())
    }

    /// The time of `bleota-fleet campaign status`, the longest of five; `nil` without the tool.
    private func status() async throws -> Duration? {
        let tool = Process.folder + "/bleota-fleet"
        guard FileManager.default.isExecutableFile(atPath: tool) else { return nil }
        var longest = Duration.zero
        for _ in 0..<5 {
            let begin = ContinuousClock.now
            let words = ["campaign", "status", "spring", "--server", server.address.description]
            let code = try await ChildProcess([tool] + words, output: "/dev/null").end()
            guard code == 0 else { throw ChildProcess.Failure(description: "status: \(code)") }
            longest = max(longest, begin.duration(to: .now))
        }
        return longest
    }

    // MARK: - Processes

    private func startGateways(hold: Int, sightingsPerSecond: Int) throws -> [Process] {
        let half = Sample.gatewayCount / 2
        return try [0..<half, half..<Sample.gatewayCount].map { numbers in
            try process(
                "gateways",
                ["\(numbers.lowerBound)", "\(numbers.upperBound)", "\(hold)"]
                    + ["\(sightingsPerSecond / 2)", "\(deviceCount)"]
            )
        }
    }

    private func process(_ role: String, _ words: [String]) throws -> Process {
        let output = server.folder.path("\(role)-\(UInt32.random(in: 0 ... .max))")
        return try Process([role, server.address.description] + words, output: output)
    }
}

/// This program in another role.
final class Process {
    /// Where this program is.
    static let folder: String = {
        let path = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
        return URL(fileURLWithPath: path ?? "").deletingLastPathComponent().path
    }()

    let process: ChildProcess
    private let output: String

    init(_ words: [String], output: String) throws {
        self.output = output
        process = try ChildProcess([Self.folder + "/FleetBenchmark"] + words, output: output)
    }

    func observed() throws -> Observed { try Observed(process.id) }

    func await(_ word: String, within limit: Duration = .seconds(600)) async throws {
        try await eventually("a process says \(word)", within: limit) {
            String(decoding: TestFolder.read(output) ?? [], as: UTF8.self).contains(word)
        }
    }
}
