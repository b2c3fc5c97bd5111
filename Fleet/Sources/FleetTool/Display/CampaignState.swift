import FleetModel
import FleetStore

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

    private var secondsSinceCount: UInt64? {
        progress.map { (now.milliseconds - min(now.milliseconds, $0.moment.milliseconds)) / 1_000 }
    }

    // MARK: - For people

    /// A line for each number, within 80 columns.
    var summary: [String] {
        var lines = [
            title,
            Self.row("image", plan.image.hexadecimal.prefix(16) + "…"),
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
        let age = secondsSinceCount.map { "\($0) s ago, or later without a change" }
        lines.append(Self.row("counted", age ?? "not yet: is a controller running?"))
        return lines
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
        return "\(plan.id)  \(campaign.phase.words): \(counts.succeeded.number) updated and "
            + "\(counts.failed.number) failed of \(population.number)"
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
        return ([title] + bars + [numbers]).map { String($0.prefix(width)) }
    }

    // MARK: - For programs

    var line: JSONObject {
        var line = JSONObject("campaign").with("campaign", plan.id.text)
            .with("phase", campaign.phase.word)
            .with("version", plan.version.description)
            .with("hardware", plan.selection.hardware.text)
            .with("stages", UInt64(plan.stages.shares.count))
        if let group = plan.selection.group { line = line.with("group", group.text) }
        if let stage = campaign.phase.progress?.stage ?? progress.map({ $0.stage + 1 }) {
            line = line.with("stage", UInt64(stage))
        }
        if let population { line = line.with("selected", UInt64(population.number)) }
        guard let secondsSinceCount else { return line }
        return line.with("begun", UInt64(counts.given.number))
            .with("updated", UInt64(counts.succeeded.number))
            .with("failed", UInt64(counts.failed.number))
            .with("left", UInt64(counts.eligible.number))
            .with("countedSecondsAgo", secondsSinceCount)
    }
}

extension Share {
    /// The share in percent, such as `5 %` or `0.25 %`.
    var percent: String {
        let (whole, rest) = (basisPoints / 100, basisPoints % 100)
        if rest == 0 { return "\(whole) %" }
        return "\(whole)." + (rest < 10 ? "0" : "") + "\(rest) %"
    }
}
