import ArgumentParser
import FleetModel
import FleetStore
import NATS

/// `bleota-fleet campaign start`.
struct StartCampaign: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "start",
        abstract: "Begin a campaign with the devices that are known now."
    )
    @OptionGroup var campaign: CampaignOptions

    func run() async throws {
        try await Command.run(on: campaign.server) { () async throws(ToolFailure) in
            var overlap: Overlap?
            try await campaign.tell("started") { campaign, store throws(ToolFailure) in
                let plan = campaign.plan
                guard campaign.phase == .ready else { return .start(.zero) }
                var tally = Tally(of: plan)
                var hardwareCount = 0
                var seen = try await Overlap(of: plan, in: store)
                try await store.devices.forEach { entry in
                    tally.see(entry.value, at: entry.revision.number)
                    seen.see(entry.value)
                    if entry.value.hardware == plan.selection.hardware { hardwareCount += 1 }
                }
                guard tally.counts.eligible > .zero else {
                    throw Self.nothingToDo(plan, hardwareCount: hardwareCount)
                }
                overlap = seen
                return .start(tally.counts.eligible)
            }
            guard !campaign.json else { return }
            for sentence in overlap?.sentences ?? [] { Console.print(sentence) }
        }
    }
}

extension StartCampaign {
    /// Starting again doesn't help before another device is heard, so this isn't temporary.
    private static func nothingToDo(_ plan: CampaignPlan, hardwareCount: Int) -> ToolFailure {
        let selection = plan.selection
        guard hardwareCount > 0 else {
            return ToolFailure(
                .unavailable,
                "\(plan.id) was not started: no gateway has heard a device with hardware "
                    + "\(selection.hardware); bleota-fleet devices lists those there are"
            )
        }
        let limits = [
            selection.group.map { "in group \($0)" }, selection.oldest.map { "from \($0) on" },
        ]
        let words = ["", "with hardware \(selection.hardware)"] + limits.compactMap { $0 }
        return ToolFailure(
            .unavailable,
            "\(plan.id) was not started: no known device\(words.joined(separator: " ")) is older than "
                + "\(plan.version); bleota-fleet devices --hardware \(selection.hardware) lists "
                + "all devices with this hardware, and their versions"
        )
    }
}

/// `bleota-fleet campaign pause`.
struct PauseCampaign: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause",
        abstract: "Begin no more updates; those under way go on."
    )
    @OptionGroup var campaign: CampaignOptions

    func run() async throws {
        try await Command.run(on: campaign.server) { () async throws(ToolFailure) in
            try await campaign.tell("paused") { _, _ in .pause }
        }
    }
}

/// `bleota-fleet campaign resume`.
struct ResumeCampaign: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume",
        abstract: "Go on with a paused campaign."
    )
    @OptionGroup var campaign: CampaignOptions

    func run() async throws {
        try await Command.run(on: campaign.server) { () async throws(ToolFailure) in
            try await campaign.tell("resumed") { _, _ in .resume }
        }
    }
}

/// `bleota-fleet campaign stop`.
struct StopCampaign: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stop",
        abstract: "End a campaign for good; updates under way go on."
    )
    @OptionGroup var campaign: CampaignOptions

    func run() async throws {
        try await Command.run(on: campaign.server) { () async throws(ToolFailure) in
            try await campaign.tell("stopped") { _, _ in .stop }
        }
    }
}
