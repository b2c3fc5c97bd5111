import ArgumentParser
import FleetModel
import FleetStore
import Glibc
import NATS

import struct Crypto.SHA256
import struct SystemPackage.Errno
import struct SystemPackage.FileDescriptor
import struct SystemPackage.FilePath

/// `bleota-fleet campaign create`: stores an image and a plan.
struct CreateCampaign: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Store an image, and the plan by which devices get it.",
        discussion: """
            Nothing is updated before bleota-fleet campaign start NAME.

            Example:
              bleota-fleet campaign create spring --image lamp-2.1.0.bleota \\
                --version 2.1.0 --hardware lamp --stages 1,5,25,100 --max-failures 2
            """
    )

    @Option(help: ArgumentHelp("Image bundle.", valueName: "FILE"), completion: .file())
    var image: String

    @Option(
        help: ArgumentHelp("Version that devices run afterwards.", valueName: "VERSION"),
        transform: Self.version
    )
    var version: FirmwareVersion

    @Option(
        help: ArgumentHelp("Hardware that it is for.", valueName: "NAME"),
        transform: { try Self.identifier($0, of: Selection.self) }
    )
    var hardware: HardwareName

    @Option(
        help: ArgumentHelp("Group that it is for; all by default.", valueName: "NAME"),
        transform: { try Self.identifier($0, of: Sighting.self) }
    )
    var group: GroupName?

    @Option(
        help: ArgumentHelp("Stages, in percent; the last is 100.", valueName: "PERCENT,…"),
        transform: Self.stages
    )
    var stages: StagePlan = StagePlan([100, 500, 2_500, 10_000].map { Share(basisPoints: $0)! })!

    @Option(
        help: ArgumentHelp("Failures of a stage that are allowed.", valueName: "PERCENT"),
        transform: Self.share
    )
    var maxFailures: Share = Share(basisPoints: 200)!

    @Option(
        help: ArgumentHelp("Time of day for updates, in UTC.", valueName: "HH:MM-HH:MM"),
        transform: Self.window
    )
    var window: DayWindow?

    @Option(
        help: ArgumentHelp("Attempts with each device, 1 to 10.", valueName: "COUNT"),
        transform: Self.retries
    )
    var attempts: RetryPolicy = Self.policy(3)!

    @OptionGroup var campaign: CampaignOptions

    func run() async throws {
        try await Command.run { () async throws(ToolFailure) in
            let bytes = try Self.read(image)
            let digest = Digest(Array(SHA256.hash(data: bytes)))!
            let plan = CampaignPlan(
                id: campaign.name,
                image: digest,
                version: version,
                selection: Selection(hardware: hardware, group: group),
                stages: stages,
                failuresAllowed: maxFailures,
                window: window,
                retries: attempts
            )
            let store = try await campaign.openStore()
            do throws(FleetStoreError) {
                try await store.images.store(bytes, as: digest)
                try await store.campaigns.create(plan.id, Campaign(plan))
            } catch {
                guard error == .nats(.revisionConflict) else { throw ToolFailure(error) }
                throw ToolFailure(
                    .usage,
                    "there is a campaign \(plan.id) already: use another name"
                )
            }
            Console.print("\(plan.id)  ready; begin it with bleota-fleet campaign start \(plan.id)")
        }
    }

    /// Reads a file of at most 1 GiB, which a machine has room for in memory.
    private static func read(_ path: String) throws(ToolFailure) -> [UInt8] {
        let byteCountMax = 1 << 30
        do {
            let file = try FileDescriptor.open(FilePath(path), .readOnly)
            return try file.closeAfter {
                var bytes: [UInt8] = []
                var chunk = [UInt8](repeating: 0, count: 1 << 20)
                while bytes.count <= byteCountMax {
                    let count = try chunk.withUnsafeMutableBytes { try file.read(into: $0) }
                    if count == 0 { return bytes }
                    bytes += chunk[..<count]
                }
                throw ToolFailure(.badData, "\(path) is larger than 1 GiB")
            }
        } catch let failure as ToolFailure {
            throw failure
        } catch {
            throw ToolFailure(.inputOutput, "\(path) can't be read: \(error)")
        }
    }

    // MARK: - Options

    private static func identifier<Kind>(
        _ text: String,
        of kind: Kind.Type
    ) throws -> Identifier<Kind> {
        guard let name = Identifier<Kind>(text) else {
            throw ValidationError("a name is 1 to 64 letters, digits, '_' and '-', not '\(text)'")
        }
        return name
    }

    private static func version(_ text: String) throws -> FirmwareVersion {
        guard let version = FirmwareVersion(text) else {
            throw ValidationError("a version is three numbers such as 2.1.0, not '\(text)'")
        }
        return version
    }

    private static func share(_ text: String) throws -> Share {
        let number = text.hasSuffix("%") ? text.dropLast() : text[...]
        guard let percent = UInt16(number), percent <= 100,
            let share = Share(basisPoints: percent * 100)
        else { throw ValidationError("a share is 0 to 100 percent, not '\(text)'") }
        return share
    }

    private static func stages(_ text: String) throws -> StagePlan {
        let shares = try text.split(separator: ",", omittingEmptySubsequences: false)
            .map { try share(String($0)) }
        guard let plan = StagePlan(shares) else {
            throw ValidationError(
                "stages are up to \(StagePlan.countMax) growing shares up to 100, not '\(text)'"
            )
        }
        return plan
    }

    private static func window(_ text: String) throws -> DayWindow {
        let minutes = text.split(separator: "-", omittingEmptySubsequences: false)
            .compactMap { minute($0) }
        guard minutes.count == 2, text.filter({ $0 == "-" }).count == 1 else {
            throw ValidationError("a window is like 22:00-06:00, not '\(text)'")
        }
        let length = (minutes[1] + 1_440 - minutes[0]) % 1_440
        return DayWindow(opening: minutes[0], minutes: length == 0 ? 1_440 : length)!
    }

    private static func minute(_ text: Substring) -> UInt16? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let hour = UInt16(parts[0]), let minute = UInt16(parts[1]),
            hour < 24, minute < 60
        else { return nil }
        return hour * 60 + minute
    }

    private static func retries(_ text: String) throws -> RetryPolicy {
        guard let policy = UInt8(text).flatMap(policy) else {
            throw ValidationError("there are 1 to 10 attempts, not '\(text)'")
        }
        return policy
    }

    /// A device that is away for a minute is found by the second attempt; one that is away for
    /// longer is asked once an hour.
    private static func policy(_ attempts: UInt8) -> RetryPolicy? {
        RetryPolicy(
            attemptCount: attempts,
            firstPause: .seconds(60),
            longestPause: .seconds(3_600)
        )
    }
}
