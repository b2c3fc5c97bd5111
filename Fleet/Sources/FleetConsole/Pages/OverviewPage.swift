import FleetModel

/// The first page: the whole fleet, its campaigns, gateways and failures.
struct OverviewPage {
    /// The most gateways and failures that are shown here; other pages have the rest.
    static let shortListMax = 6
    /// The most campaigns.
    static let campaignsMax = 50

    let summary: FleetSummary
    let campaigns: [CampaignView]
    let gateways: [GatewayView]
    let failures: [CampaignView.FailureGroup]

    var html: HTML {
        """
        <h1 class="hidden">Overview</h1>
        \(fleet)
        <section aria-labelledby="campaigns">
        <h2 id="campaigns">Campaigns</h2>
        \(campaignList)
        </section>
        <div class="columns">
        <section aria-labelledby="gateways">
        <h2 id="gateways">Gateways <span class="soft">\(summary.liveGatewayCount) of \
        \(summary.gatewayCount) live</span></h2>
        \(gatewayList)
        </section>
        <section aria-labelledby="failures">
        <h2 id="failures">Failures</h2>
        \(failureList)
        </section>
        </div>
        """
    }

    private var fleet: HTML {
        let counts = summary.counts
        let order = [DeviceState.updated, .updating, .waiting, .failed, .idle]
        return """
            <section class="card fleet" aria-labelledby="fleet">
            <h2 id="fleet"><span class="big">\(counts.total)</span> devices</h2>
            \(Parts.bar(counts, of: counts.total))
            \(Parts.legend(order.map {
                ($0.rawValue, $0.rawValue, counts[$0], "/devices?state=\($0.rawValue)")
            }))
            </section>
            """
    }

    private var campaignList: HTML {
        guard !campaigns.isEmpty else {
            return """
                <p class="card empty">There are no campaigns yet. Make one with \
                <code>bleota-fleet campaign create</code>.</p>
                """
        }
        let cards = campaigns.prefix(Self.campaignsMax).map { CampaignCard(campaign: $0).html }
        let rest = campaigns.count - cards.count
        let more: HTML = rest > 0 ? "<p class=\"soft\">and \(rest) more</p>" : .empty
        return "<div class=\"cards\">\(Array(cards))</div>\(more)"
    }

    private var gatewayList: HTML {
        guard !gateways.isEmpty else {
            return "<p class=\"card empty\">No gateway has said that it is there.</p>"
        }
        let rows = gateways.prefix(Self.shortListMax).map { GatewayRow(gateway: $0).html }
        let more: HTML =
            gateways.count > rows.count
            ? "<p><a href=\"/gateways\">All \(gateways.count) gateways</a></p>" : .empty
        return "<div class=\"card\"><ul class=\"rows\">\(Array(rows))</ul>\(more)</div>"
    }

    private var failureList: HTML {
        guard !failures.isEmpty else {
            return "<p class=\"card empty\">No device has failed.</p>"
        }
        let shown = failures.prefix(Self.shortListMax)
        let more: HTML =
            failures.count > shown.count
            ? "<p><a href=\"/failures\">All \(failures.count) reasons</a></p>" : .empty
        return """
            <div class="card">\(FailureList(groups: Array(shown), namesCampaign: true).html)\
            \(more)</div>
            """
    }
}

/// A campaign on the first page.
struct CampaignCard {
    let campaign: CampaignView

    var html: HTML {
        let plan = campaign.plan
        return """
            <article class="card campaign" data-key="\(plan.id.text)">
            <header><h3>\(Parts.link(plan.id))</h3>\
            \(Parts.chip(campaign.campaign.phase, stages: plan.stages.shares.count))</header>
            <p class="soft">Version \(plan.version.description) for \
            \(CampaignWords.selection(plan))</p>
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

    /// What has become of the devices, in a line.
    static func sum(_ campaign: CampaignView) -> HTML {
        let counts = campaign.counts
        guard campaign.deviceCount > 0 else { return "Not begun" }
        var parts: [HTML] = ["<b>\(counts[.updated])</b> updated"]
        if counts[.failed] > 0 { parts.append("<b>\(counts[.failed])</b> failed") }
        if counts[.updating] > 0 { parts.append("<b>\(counts[.updating])</b> updating") }
        let left = campaign.deviceCount - counts.ended - counts[.updating]
        if left > 0 { parts.append("<b>\(left)</b> left") }
        return parts.dropFirst().reduce(parts[0]) { "\($0) · \($1)" }
    }
}

/// Reasons of failures, each with a bar.
struct FailureList {
    let groups: [CampaignView.FailureGroup]
    let namesCampaign: Bool

    var html: HTML {
        let most = groups.map(\.deviceCount).max() ?? 1
        let items: [HTML] = groups.map { group in
            let path = Query(
                ("state", "failed"),
                ("campaign", group.campaign.text),
                ("reason", group.failure.detail)
            )
            let campaign: HTML = namesCampaign ? " in \(Parts.link(group.campaign))" : .empty
            let count = group.deviceCount
            return """
                <li data-key="\(group.campaign.text) \(group.failure.detail)">
                <span class="title"><a href="/devices\(path.text)">\
                \(group.failure.detail)</a></span>
                <span class="soft">\(Self.words(group.failure.kind)), \
                <b>\(Parts.devices(count))</b>\(campaign)</span>
                \(Parts.bar("\(count) devices", of: most, [("failed", count)]))
                </li>
                """
        }
        return "<ul class=\"rows\">\(items)</ul>"
    }

    static func words(_ kind: Failure.Kind) -> HTML {
        switch kind {
        case .refused: "Refused by the device"
        case .unreachable: "The device couldn’t be reached"
        case .gateway: "The gateway failed"
        }
    }
}
