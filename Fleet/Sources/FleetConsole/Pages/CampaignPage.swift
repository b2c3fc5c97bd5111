import FleetModel
import FleetText

/// A campaign: its stages, what has become of its devices, and the buttons that steer it.
struct CampaignPage {
    /// The most reasons of failures; the page of failures has the rest.
    static let reasonsMax = 20

    let campaign: CampaignView
    let failures: [CampaignView.FailureGroup]
    let shell: Shell

    private var plan: CampaignPlan { campaign.plan }

    var html: HTML {
        """
        <p class="back"><a href="/">Overview</a></p>
        <div class="headline">
        <h1>\(plan.id.text)</h1>
        \(Parts.chip(campaign.campaign.phase, stages: plan.stages.shares.count))
        <div class="actions">\(SteeringDialog(campaign: campaign).button)</div>
        </div>
        \(CampaignCallout(campaign: campaign).html)
        \(devices)
        <div class="columns">
        <section aria-labelledby="stages">
        <h2 id="stages">Stages</h2>
        <div class="card">\(stages)</div>
        </section>
        <section aria-labelledby="failures">
        <h2 id="failures">Failures</h2>
        \(reasons)
        </section>
        </div>
        <section aria-labelledby="plan">
        <h2 id="plan">Plan</h2>
        <div class="card">\(CampaignFacts(plan: plan).html)</div>
        </section>
        \(SteeringDialog(campaign: campaign).html(shell.secretField))
        """
    }

    private var devices: HTML {
        let whole = campaign.deviceCount
        let counts = campaign.counts
        guard whole > 0 else { return .empty }
        let percent = counts.ended * 100 / whole
        let entries = [DeviceState.updated, .updating, .waiting, .failed].map {
            (
                kind: $0.rawValue, words: $0.rawValue, count: counts[$0],
                path: "/devices" + Query(("state", $0.rawValue), ("campaign", plan.id.text)).text
                    as String?
            )
        }
        let later = whole - counts.total
        let rest = [(kind: "later", words: "not begun", count: later, path: String?.none)]
        return """
            <section class="card" aria-labelledby="devices">
            <h2 id="devices" class="sum"><span class="big">\(percent)\u{202F}%</span> done: \
            \(counts.ended) of \(Parts.devices(whole))</h2>
            \(Parts.bar(counts, of: whole))
            \(Parts.legend(entries + (later > 0 ? rest : [])))
            </section>
            """
    }

    private var stages: HTML {
        let items: [HTML] = campaign.stages.enumerated().map { index, stage in
            let known: HTML =
                stage.deviceCount > 0
                ? "<b>\(stage.endedCount)</b> of \(Parts.devices(stage.deviceCount))" : "–"
            return """
                <li class="stage stage-\(stage.state.rawValue)">
                <span class="title">Stage \(index + 1) <span class="soft">up to \
                \(Parts.percent(stage.share))\(Self.words(stage.state))</span></span>
                <span class="count">\(known)</span>
                \(Parts.bar(
                    "\(stage.endedCount) of \(stage.deviceCount) devices ended",
                    of: stage.deviceCount,
                    [("stage", stage.endedCount)]
                ))
                </li>
                """
        }
        return "<ol class=\"rows stagelist\">\(items)</ol>"
    }

    private static func words(_ state: CampaignView.Stage.State) -> HTML {
        switch state {
        case .later, .done: ""
        case .current: ", now"
        case .stopped: ", stopped here"
        }
    }

    private var reasons: HTML {
        guard !failures.isEmpty else {
            return "<p class=\"card empty\">No device of this campaign has failed.</p>"
        }
        return """
            <div class="card">\(FailureList(
                groups: failures,
                shownMax: Self.reasonsMax,
                namesCampaign: false
            ).html)</div>
            """
    }
}

/// The plan of a campaign, as it was made.
struct CampaignFacts {
    let plan: CampaignPlan

    var html: HTML {
        let window: HTML =
            plan.window.map { window in
                let end = (window.opening + window.minutes) % 1_440
                return """
                    \(DayWindow.clock(window.opening)) to \(DayWindow.clock(end)) UTC
                    """
            } ?? "any time"
        return """
            <dl class="facts">
            <dt>Version</dt><dd>\(plan.version.description)</dd>
            <dt>For</dt><dd>\(CampaignWords.selection(plan))</dd>
            <dt>Failures allowed</dt><dd>\(Parts.percent(plan.failuresAllowed)) of the devices up \
            to each stage</dd>
            <dt>Attempts</dt><dd>\(Int(plan.retries.attemptCount)) with each device</dd>
            <dt>Time of day</dt><dd>\(window)</dd>
            <dt>Image</dt><dd><code class="digest">\(plan.image.hexadecimal)</code></dd>
            </dl>
            """
    }
}
