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
        let rows = gateways.byUrgency.prefix(Self.shortListMax).map { GatewayRow(gateway: $0).html }
        let more: HTML =
            gateways.count > rows.count
            ? "<p><a href=\"/gateways\">All \(gateways.count) gateways</a></p>" : .empty
        return "<div class=\"card\"><ul class=\"rows\">\(Array(rows))</ul>\(more)</div>"
    }

    private var failureList: HTML {
        guard !failures.isEmpty else {
            return "<p class=\"card empty\">No device has failed.</p>"
        }
        let list = FailureList(
            groups: failures,
            shownMax: Self.shortListMax,
            namesCampaign: true
        )
        let more: HTML =
            failures.count > Self.shortListMax
            ? "<p><a href=\"/failures\">All \(failures.count) reasons</a></p>" : .empty
        return """
            <div class="card">\(list.html)\(more)</div>
            """
    }
}
