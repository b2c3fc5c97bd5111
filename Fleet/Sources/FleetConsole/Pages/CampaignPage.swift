import FleetModel

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
        <div class="actions">\(actions)</div>
        </div>
        <section class="card" aria-labelledby="devices">
        <h2 id="devices">Devices</h2>
        \(devices)
        </section>
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
        <div class="card">\(facts)</div>
        </section>
        \(dialogs)
        """
    }

    // MARK: - Numbers

    private var devices: HTML {
        let whole = campaign.deviceCount
        let counts = campaign.counts
        guard whole > 0 else {
            return """
                <p class="empty">Nothing has begun. Begin with \
                <code>bleota-fleet campaign start \(plan.id.text)</code>.</p>
                """
        }
        let percent = counts.ended * 100 / whole
        let entries = [DeviceState.updated, .updating, .waiting, .failed].map {
            (
                kind: $0.rawValue, words: $0.rawValue, count: counts[$0],
                path: Query(("state", $0.rawValue), ("campaign", plan.id.text)).text as String?
            )
        }
        let later = whole - counts.total
        let rest = [(kind: "later", words: "later", count: later, path: String?.none)]
        return """
            <p class="sum"><span class="big">\(percent)\u{202F}%</span> done: \(counts.ended) of \
            \(Parts.devices(whole))</p>
            \(Parts.bar(counts, of: whole))
            \(Parts.legend(
                entries.map { ($0.kind, $0.words, $0.count, $0.path.map { "/devices" + $0 }) }
                    + (later > 0 ? rest : [])
            ))
            """
    }

    private var stages: HTML {
        let items: [HTML] = campaign.stages.enumerated().map { index, stage in
            let known: HTML =
                stage.deviceCount > 0
                ? "\(stage.endedCount) of \(Parts.devices(stage.deviceCount))" : "–"
            return """
                <li class="stage stage-\(stage.state.rawValue)">
                <span class="title">Stage \(index + 1) <span class="soft">up to \
                \(Parts.percent(stage.share))</span></span>
                <span class="soft">\(known)</span>
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

    private var reasons: HTML {
        guard !failures.isEmpty else {
            return "<p class=\"card empty\">No device of this campaign has failed.</p>"
        }
        let shown = Array(failures.prefix(Self.reasonsMax))
        return "<div class=\"card\">\(FailureList(groups: shown, namesCampaign: false).html)</div>"
    }

    private var facts: HTML {
        let window: HTML =
            plan.window.map { window in
                let end = (window.opening + window.minutes) % 1_440
                return "\(Self.clock(window.opening)) to \(Self.clock(end)) UTC"
            } ?? "any time"
        return """
            <dl class="facts">
            <dt>Version</dt><dd>\(plan.version.description)</dd>
            <dt>For</dt><dd>\(CampaignWords.selection(plan))</dd>
            <dt>Failures allowed</dt><dd>\(Parts.percent(plan.failuresAllowed)) of a stage</dd>
            <dt>Attempts</dt><dd>\(Int(plan.retries.attemptCount)) with each device</dd>
            <dt>Time of day</dt><dd>\(window)</dd>
            <dt>Image</dt><dd><code class="digest">\(plan.image.hexadecimal)</code></dd>
            </dl>
            """
    }

    private static func clock(_ minute: UInt16) -> HTML {
        let digits = [minute / 60, minute % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
        return "\(digits.joined(separator: ":"))"
    }

    // MARK: - Steering

    private var actions: HTML {
        switch campaign.campaign.phase {
        case .running:
            "<button type=\"button\" data-opens=\"pause\">Pause…</button>"
        case .paused:
            "<button type=\"button\" class=\"primary\" data-opens=\"resume\">Resume…</button>"
        case .ready, .stopped, .finished: .empty
        }
    }

    private var dialogs: HTML {
        let left = campaign.deviceCount - campaign.counts.ended
        return switch campaign.campaign.phase {
        case .running:
            dialog(
                "pause",
                "Pause \(plan.id.text)?",
                """
                No more devices are begun. The \(Parts.devices(campaign.counts[.updating])) under \
                way go on to their end.
                """,
                "Pause"
            )
        case .paused:
            dialog(
                "resume",
                "Resume \(plan.id.text)?",
                "Updates of the \(Parts.devices(left)) that are left go on at once.",
                "Resume"
            )
        case .ready, .stopped, .finished: .empty
        }
    }

    private func dialog(_ action: String, _ title: HTML, _ text: HTML, _ verb: String) -> HTML {
        """
        <dialog id="\(action)" aria-labelledby="\(action)-title" aria-describedby="\(action)-text">
        <h2 id="\(action)-title">\(title)</h2>
        <p id="\(action)-text">\(text)</p>
        <form method="post" action="/campaigns/\(plan.id.text)/\(action)">\(shell.secretField)
        <div class="buttons">
        <button type="submit" formmethod="dialog" formnovalidate>Cancel</button>
        <button type="submit" class="primary">\(verb)</button>
        </div></form>
        </dialog>
        """
    }
}
