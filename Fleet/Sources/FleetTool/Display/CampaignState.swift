import FleetModel
import FleetStore
import FleetText

/// A campaign and how far it is, for people and for programs.
struct CampaignState: Sendable {
    let campaign: Campaign
    /// `nil` if no controller has counted it yet.
    let progress: Progress?
    private let now = SystemTime.moment

    init(_ campaign: Campaign, _ progress: Progress?) {
        self.campaign = campaign
        self.progress = progress
    }

    private var plan: CampaignPlan { campaign.plan }
    private var counts: Tally.Counts { progress?.counts ?? .init() }

    /// The devices that were selected; `nil` before the start.
    private var population: DeviceCount? {
        campaign.phase.progress?.population ?? progress?.population
    }

    /// The devices that were selected, got no job and will get none: they have come to the version
    /// by other means, are in another group by now, or are gone.
    private var leftOutCount: Int {
        guard let population, progress != nil else { return 0 }
        return max(0, population.number - counts.reachable.number)
    }

    var wait: CampaignWait? { campaign.wait(progress, at: now) }

    private var secondsSinceCount: UInt64? {
        progress.map { (now.milliseconds - min(now.milliseconds, $0.moment.milliseconds)) / 1_000 }
    }

    // MARK: - For people

    /// A line for each number, within 80 columns.
    var summary: [String] {
        var lines = [
            title,
            // As bleota sign prints it, which knows no fleet.
            Self.row("image", "sha256 \(plan.content.hexadecimal.prefix(16))…"),
            Self.row("bundle", "sha256 \(plan.image.hexadecimal.prefix(16))… of its file"),
            Self.row("stages", plan.stages.shares.map(\.percent).joined(separator: ", ")),
        ]
        if let group = plan.selection.group { lines.append(Self.row("group", group.text)) }
        if let oldest = plan.selection.oldest { lines.append(Self.row("oldest", "\(oldest)")) }
        guard let population else { return lines }
        lines += [
            Self.row("selected", "\(population.number)"),
            Self.row("begun", "\(counts.given.number)"),
            Self.row("updated", "\(counts.succeeded.number)"),
            Self.row("failed", "\(counts.failed.number)"),
            Self.row("left", "\(counts.eligible.number)"),
        ]
        if leftOutCount > 0 {
            lines.append(
                Self.row("left out", "\(leftOutCount) that the campaign is no longer for")
            )
        }
        if let wait { lines.append(Self.row("waits", wait.words)) }
        guard let secondsSinceCount else {
            return lines + [Self.row("counted", "not yet: is a controller running?")]
        }
        return lines + [Self.row("changed", "\(secondsSinceCount) s ago")]
    }

    private static func row(_ name: String, _ value: some StringProtocol) -> String {
        Table.cell(name, 10) + " " + value
    }

    private var title: String {
        "\(plan.id)  \(plan.version) for \(plan.selection.hardware)  \(campaign.phase.words)"
    }

    /// A line for a log.
    var sentence: String {
        guard let population else { return "\(plan.id)  \(campaign.phase.words)" }
        let waits = wait.map { "; waits \($0.words)" } ?? ""
        return "\(plan.id)  \(campaign.phase.words): \(counts.succeeded.number) updated and "
            + "\(counts.failed.number) failed of \(population.number)\(waits)"
    }

    /// A picture with a bar for each stage.
    func picture(width: Int) -> [String] {
        let barWidth = min(max(width - 26, 4), 40)
        let bars = (progress?.stages(of: campaign) ?? []).map { stage in
            let percent = Int(stage.done.basisPoints) / 100
            let full = Int(stage.done.basisPoints) * barWidth / 10_000
            let bar =
                String(repeating: "█", count: full)
                + String(repeating: "░", count: barWidth - full)
            return Table.right(stage.share.percent, 7) + " "
                + Table.right("\(stage.target.number)", 8) + " \(bar) "
                + Table.right("\(percent) %", 5)
        }
        let underWay = counts.given.number - counts.ended.number
        let numbers =
            "\(counts.succeeded.number) updated, \(counts.failed.number) failed, "
            + "\(underWay) begun, \(counts.eligible.number) left"
            + (leftOutCount > 0 ? ", \(leftOutCount) left out" : "")
        let waits = wait.map { ["waits \($0.words)"] } ?? []
        return ([title] + bars + [numbers] + waits).map { String($0.prefix(width)) }
    }

    // MARK: - For programs

    var line: JSONObject {
        var line = JSONObject("campaign").with("campaign", plan.id.text)
            .with("phase", campaign.phase.word)
            .with("version", plan.version.description)
            .with("hardware", plan.selection.hardware.text)
            .with("stages", UInt64(plan.stages.shares.count))
        if let group = plan.selection.group { line = line.with("group", group.text) }
        if let stage = campaign.phase.progress?.stage ?? progress?.stage {
            line = line.with("stage", UInt64(stage + 1))
        }
        if let population { line = line.with("selected", UInt64(population.number)) }
        if let wait { line = line.with("waitsFor", wait.word) }
        guard let secondsSinceCount else { return line }
        return line.with("begun", UInt64(counts.given.number))
            .with("updated", UInt64(counts.succeeded.number))
            .with("failed", UInt64(counts.failed.number))
            .with("left", UInt64(counts.eligible.number))
            .with("leftOut", UInt64(leftOutCount))
            .with("countedSecondsAgo", secondsSinceCount)
    }
}
