import ArgumentParser
import FleetModel
import FleetStore
import NATS

/// `bleota-fleet campaign create`: stores an image and a plan.
struct CreateCampaign: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Store an image, and the plan by which devices get it.",
        discussion: """
            The version and the hardware are those that the bundle states. A fleet names hardware \
            as bundles do, such as acme/lamp; one that leaves out the vendor says so with \
            --hardware lamp. Nothing is updated before bleota-fleet campaign start NAME.

            Example:
              bleota-fleet campaign create spring --image lamp-2.1.0.bleota \\
                --stages 1,5,25,100 --max-failures 2
            """
    )

    @Option(help: ArgumentHelp("Image bundle.", valueName: "FILE"), completion: .file())
    var image: String

    @Option(
        help: ArgumentHelp("Fail unless the bundle has this version.", valueName: "VERSION"),
        transform: Values.version
    )
    var version: FirmwareVersion?

    @Option(
        help: ArgumentHelp("Hardware of the devices, as the fleet names it.", valueName: "NAME"),
        transform: Values.hardware
    )
    var hardware: HardwareName?

    @Flag(help: "Take an image that nobody has signed.")
    var allowUnsigned = false

    @Option(
        help: ArgumentHelp("Group that it is for; all by default.", valueName: "NAME"),
        transform: { try Values.name($0, of: Sighting.self) }
    )
    var group: GroupName?

    @Option(
        help: ArgumentHelp("Oldest version that is updated; any by default.", valueName: "VERSION"),
        transform: Values.version
    )
    var oldest: FirmwareVersion?

    @Option(
        help: ArgumentHelp("Stages, in percent; 1,5,25,100 by default.", valueName: "PERCENT,…"),
        transform: Values.stages
    )
    var stages: StagePlan = StagePlan([100, 500, 2_500, 10_000].map { Share(basisPoints: $0)! })!

    @Option(
        help: ArgumentHelp(
            "Failures of a stage that are allowed; 2 by default.",
            valueName: "PERCENT"
        ),
        transform: Values.share
    )
    var maxFailures: Share = Share(basisPoints: 200)!

    @Option(
        help: ArgumentHelp(
            "Time of day for updates, in UTC; two equal times are the whole day.",
            valueName: "HH:MM-HH:MM"
        ),
        transform: Values.window
    )
    var window: DayWindow?

    @Option(
        help: ArgumentHelp("Attempts with each device, 1 to 10; 3 by default.", valueName: "COUNT"),
        transform: Self.retries
    )
    var attempts: RetryPolicy = Self.policy(3)!

    @Option(
        help: ArgumentHelp(
            "Devices without a key: optional counts them too, required doesn't, and with "
                + "enrolling the first receipt enrols the key; optional by default.",
            valueName: "RULE"
        ),
        transform: Self.receiptRule
    )
    var receipts: ReceiptRule = .optional

    @OptionGroup var campaign: CampaignOptions

    func run() async throws {
        try await Command.run(on: campaign.server) { () async throws(ToolFailure) in
            let image = try await CampaignImage(contentsOf: image)
            try image.check(version: version, allowsUnsigned: allowUnsigned)
            let plan = CampaignPlan(
                id: campaign.name,
                image: image.digest,
                content: image.content,
                version: image.version,
                selection: Selection(
                    hardware: try image.hardware(of: hardware),
                    group: group,
                    oldest: oldest
                ),
                stages: stages,
                failuresAllowed: maxFailures,
                window: window,
                retries: attempts,
                receipts: receipts
            )
            let store = try await campaign.openStore()
            try await Self.requireNew(plan.id, in: store)
            do throws(FleetStoreError) {
                try await store.images.store(image.bytes, as: image.digest)
                try await store.campaigns.create(plan.id, Campaign(plan))
            } catch {
                guard error == .nats(.revisionConflict) else { throw ToolFailure(error) }
                throw Self.exists(plan.id)
            }
            let state = CampaignState(Campaign(plan), nil)
            Console.print(
                campaign.json
                    ? state.line.text
                    : "\(plan.id)  \(plan.version) for \(plan.selection.hardware); begin it with "
                        + "bleota-fleet campaign start \(plan.id)"
            )
            try await store.note(
                "created \(plan.id): \(plan.version) for \(plan.selection.hardware)"
            )
        }
    }

    /// Throws if there is such a campaign, or if there was one that had begun: its outcomes would
    /// count as those of the new one.
    private static func requireNew(
        _ name: CampaignID,
        in store: FleetStore
    ) async throws(ToolFailure) {
        let isThere: Bool
        do throws(FleetStoreError) {
            _ = try await store.campaigns.get(name)
            isThere = true
        } catch {
            guard error == .nats(.notFound) else { throw ToolFailure(error) }
            isThere = false
        }
        guard !isThere else { throw exists(name) }
        guard try await store.progress(of: name) == nil else {
            throw ToolFailure(
                .usage,
                "there was a campaign \(name), which had begun, and devices may know it: use another "
                    + "name"
            )
        }
    }

    private static func exists(_ name: CampaignID) -> ToolFailure {
        ToolFailure(.usage, "there is a campaign \(name) already: use another name")
    }

    private static func receiptRule(_ text: String) throws -> ReceiptRule {
        guard let rule = ReceiptRule.allCases.first(where: { "\($0)" == text }) else {
            throw ValidationError("a rule is optional, required or enrolling, not '\(text)'")
        }
        return rule
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
