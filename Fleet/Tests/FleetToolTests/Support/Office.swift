import BLEOTA
import FleetModel
import FleetStore
import FleetTestSupport
import Foundation
import NATS
import Testing

/// A server with a fleet, and an operator who runs commands.
final class Office: Sendable {
    let server: TestServer
    let store: FleetStore

    init() async throws {
        server = try await TestServer()
        store = try await FleetStore.create(on: try await server.connect(), replicas: .one)
    }

    /// What a command has printed, on both of its outputs, and its exit code.
    struct Answer {
        let code: Int32
        let text: String

        var lines: [String] { text.split(separator: "\n").map(String.init) }
    }

    /// Starts a command.
    ///
    /// - Parameter output: where it prints.
    func start(_ words: [String], output: String) throws -> ChildProcess {
        let place = ["--server", server.address.description]
        return try ChildProcess(
            [Tool.path] + words + place,
            output: output,
            variables: Patience.variables
        )
    }

    /// Runs a command to its end. Every line of JSON must be one that the schema describes.
    func run(_ words: String...) async throws -> Answer { try await run(words) }

    func run(_ words: [String]) async throws -> Answer {
        let output = server.folder.path("output-\(UInt64.random(in: 0 ... .max))")
        let code = try await start(words, output: output).end()
        let text = String(decoding: TestFolder.read(output) ?? [], as: UTF8.self)
        if words.contains("--json"), code == 0 {
            #expect(OutputSchema.current.describes(text), "\(text)")
        }
        return Answer(code: code, text: text)
    }

    // MARK: - What others store

    func campaign(_ name: CampaignID = Sample.spring) async throws -> Campaign {
        try await store.campaigns.get(name).value
    }

    func add(_ plan: CampaignPlan, _ inputs: CampaignPhase.Input...) async throws {
        var campaign = Campaign(plan)
        for input in inputs { campaign.handle(input) }
        try await store.campaigns.put(plan.id, campaign)
    }

    func count(_ counts: Tally.Counts, stage: Int, of population: Int) async throws {
        let progress = Progress(
            stage: stage,
            population: DeviceCount(population)!,
            counts: counts,
            at: SystemTime.moment
        )
        try await store.progress.put(Sample.spring, progress!)
    }

    func add(_ devices: DeviceRecord...) async throws {
        for device in devices { try await store.devices.put(device.id, device) }
    }

    // MARK: - Images

    /// Writes a bundle, and returns its path.
    func bundle(
        version: String? = "2.0.0",
        hardware: String? = "acme/lamp",
        isSigned: Bool = true
    ) async throws -> String {
        var options = FirmwareOptions()
        options.version = version
        options.hardware = hardware.flatMap { HardwareRange(name: $0) }
        var firmware = try await Firmware(
            bytes: Array("the firmware of a lamp".utf8),
            name: "lamp.bin",
            options: options
        )
        if isSigned { firmware = try firmware.signed(by: [.generate()]) }
        let path = server.folder.path("lamp-\(UInt64.random(in: 0 ... .max)).bleota")
        try firmware.write(to: path)
        return path
    }
}

/// Values for tests, which are valid.
enum Sample {
    static let spring = CampaignID("spring")!
    static let lamp = HardwareName("acme/lamp")!
    static let east = GatewayID("east")!
    static let old = FirmwareVersion(1, 0, 0)
    static let new = FirmwareVersion(2, 0, 0)

    static func plan(
        _ id: CampaignID = spring,
        window: DayWindow? = nil,
        attempts: UInt8 = 1
    ) -> CampaignPlan {
        CampaignPlan(
            id: id,
            image: Digest([UInt8](repeating: 7, count: 32))!,
            content: Digest([UInt8](repeating: 8, count: 32))!,
            version: new,
            selection: Selection(hardware: lamp),
            stages: StagePlan([1_000, 10_000].map { Share(basisPoints: $0)! })!,
            failuresAllowed: Share(basisPoints: 200)!,
            window: window,
            retries: RetryPolicy(
                attemptCount: attempts,
                firstPause: .seconds(1),
                longestPause: .seconds(1)
            )!
        )
    }

    static func device(
        _ name: String,
        hardware: HardwareName = lamp,
        group: String? = nil,
        version: FirmwareVersion = old
    ) -> DeviceRecord {
        DeviceRecord(
            id: DeviceID(name)!,
            hardware: hardware,
            group: group.flatMap { GroupName($0) },
            version: version
        )
    }

    static func counts(
        given: Int = 0,
        succeeded: Int = 0,
        failed: Int = 0,
        eligible: Int = 0
    ) -> Tally.Counts {
        var counts = Tally.Counts()
        counts.given = DeviceCount(given)!
        counts.succeeded = DeviceCount(succeeded)!
        counts.failed = DeviceCount(failed)!
        counts.eligible = DeviceCount(eligible)!
        return counts
    }
}
