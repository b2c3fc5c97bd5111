import FleetModel

/// The button that pauses or resumes a campaign, and the question that it asks before.
struct SteeringDialog {
    let campaign: CampaignView

    private var id: CampaignID { campaign.plan.id }

    var button: HTML {
        switch campaign.campaign.phase {
        case .running:
            "<button type=\"button\" data-opens=\"pause\">Pause…</button>"
        case .paused:
            "<button type=\"button\" class=\"primary\" data-opens=\"resume\">Resume…</button>"
        case .ready, .stopped, .finished: .empty
        }
    }

    func html(_ secretField: HTML) -> HTML {
        let left = campaign.deviceCount - campaign.counts.ended
        let busy = campaign.counts[.updating]
        return switch campaign.campaign.phase {
        case .running:
            dialog(
                "pause",
                "Pause \(id.text)?",
                """
                No more devices are begun. \(Parts.devices(busy)) under way will still come to an \
                end.
                """,
                "Pause",
                secretField
            )
        case .paused:
            dialog(
                "resume",
                "Resume \(id.text)?",
                "Updates of the \(Parts.devices(left)) that are left go on at once.",
                "Resume",
                secretField
            )
        case .ready, .stopped, .finished: .empty
        }
    }

    private func dialog(
        _ action: String,
        _ title: HTML,
        _ text: HTML,
        _ verb: String,
        _ secretField: HTML
    ) -> HTML {
        """
        <dialog id="\(action)" aria-labelledby="\(action)-title" aria-describedby="\(action)-text">
        <h2 id="\(action)-title">\(title)</h2>
        <p id="\(action)-text">\(text)</p>
        <form method="post" action="/campaigns/\(id.text)/\(action)">\(secretField)
        <div class="buttons">
        <button type="submit" formmethod="dialog" formnovalidate>Cancel</button>
        <button type="submit" class="primary">\(verb)</button>
        </div></form>
        </dialog>
        """
    }
}
