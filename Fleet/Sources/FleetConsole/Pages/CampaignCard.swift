import FleetModel

/// A campaign on the first page.
struct CampaignCard {
    let campaign: CampaignView

    var html: HTML {
        let plan = campaign.plan
        return """
            <article class="card campaign" data-key="\(plan.id.text)">
            <header><h3>\(Parts.link(plan.id))</h3>\(Parts.chip(campaign.campaign.phase))</header>
            <p class="soft">\(CampaignWords.stage(campaign))<br>Version \
            \(plan.version.description) for \(CampaignWords.selection(plan))</p>
            \(Parts.bar(campaign.counts, of: campaign.deviceCount))
            <p class="numbers">\(CampaignWords.sum(campaign))</p>
            \(StageStrip(campaign: campaign).html)
            </article>
            """
    }
}

/// The stages of a campaign, as small bars side by side.
struct StageStrip {
    let campaign: CampaignView

    var html: HTML {
        let items: [HTML] = campaign.stages.enumerated().map { index, stage in
            let label = """
                Stage \(index + 1), \(Parts.percent(stage.share)): \(stage.endedCount) of \
                \(stage.deviceCount) devices ended
                """
            return """
                <li class="stage stage-\(stage.state.rawValue)">\
                \(Parts.bar(label, of: stage.deviceCount, [("stage", stage.endedCount)]))\
                <span class="small" aria-hidden="true">\(Parts.percent(stage.share))</span></li>
                """
        }
        return "<ol class=\"stages\">\(items)</ol>"
    }
}

enum CampaignWords {
    static func selection(_ plan: CampaignPlan) -> HTML {
        let group: HTML = plan.selection.group.map { ", group \($0.text)" } ?? ""
        let oldest: HTML = plan.selection.oldest.map { " from \($0.description)" } ?? ""
        return "\(plan.selection.hardware.text)\(group)\(oldest)"
    }

    /// Where it is.
    static func stage(_ campaign: CampaignView) -> HTML {
        let stage = (campaign.stage ?? 0) + 1
        let count = campaign.stages.count
        return switch campaign.campaign.phase {
        case .ready: "Has not begun"
        case .running, .paused: "Stage \(stage) of \(count)"
        case .stopped(.tooManyFailures): "Too many failures in stage \(stage) of \(count)"
        case .stopped(.operator) where campaign.stage == nil: "Stopped before it began"
        case .stopped(.operator): "Stopped by an operator in stage \(stage) of \(count)"
        case .finished: "All stages are done"
        }
    }

    /// What has become of the devices, in a line.
    static func sum(_ campaign: CampaignView) -> HTML {
        let counts = campaign.counts
        guard campaign.deviceCount > 0 else { return "No devices yet" }
        let left = campaign.deviceCount - counts.ended - counts[.updating]
        let parts = [
            (counts[.updated], "updated"), (counts[.failed], "failed"),
            (counts[.updating], "updating"), (left, "left"),
        ]
        let shown: [HTML] = parts.enumerated().filter { $0 == 0 || $1.0 > 0 }.map { _, part in
            "<span><b>\(part.0)</b> \(part.1)</span> "
        }
        return "\(shown)"
    }
}
