import FleetModel
import FleetText

/// What a campaign that doesn't run waits for, or why it ended, and what an operator can do.
struct CampaignCallout {
    let campaign: CampaignView

    private var plan: CampaignPlan { campaign.plan }
    private var stage: Int { campaign.stage ?? 0 }

    var html: HTML {
        switch campaign.campaign.phase {
        case .running: waiting
        case .ready: ready
        case .paused: paused
        case .stopped(.tooManyFailures): tooManyFailures
        case .stopped(.operator): stopped
        case .finished: finished
        }
    }

    private var ready: HTML {
        callout(
            "idle",
            "This campaign has not begun",
            """
            <p>No device is updated before an operator begins it, with the devices that are known \
            then:</p>
            <p><code>bleota-fleet campaign start \(plan.id.text)</code></p>
            """
        )
    }

    private var waiting: HTML {
        switch campaign.wait {
        case nil: .empty
        case .window(let opening):
            callout(
                "waiting",
                "Waits for \(DayWindow.clock(opening)) UTC",
                "<p>No more devices are begun outside its time of day.</p>"
            )
        case .devices(let count):
            callout(
                "waiting",
                "Waits for \(Parts.devices(count.number)) in stage \(stage + 1)",
                """
                <p>No gateway that has a free place hears one of them. Does each \
                <a href="/gateways">gateway</a> work? <a href="/devices\(idle.text)">Devices \
                that have no job</a> say who heard them last.</p>
                """
            )
        }
    }

    private var idle: Query {
        Query(("state", DeviceState.idle.rawValue), ("hardware", plan.selection.hardware.text))
    }

    private var paused: HTML {
        let busy = campaign.counts[.updating]
        let underWay: HTML =
            busy == 0 ? "" : " \(Parts.devices(busy)) under way will still come to an end."
        return callout(
            "waiting",
            "Paused in stage \(stage + 1)",
            "<p>No more devices are begun until it is resumed.\(underWay)</p>"
        )
    }

    private var tooManyFailures: HTML {
        let population = DeviceCount(campaign.population ?? 0) ?? .zero
        let target = plan.stages.target(of: stage, in: population)
        let allowed = plan.failuresAllowed.roundedDown(of: target).number
        let failed = campaign.counts[.failed]
        return callout(
            "failed",
            "Stopped in stage \(stage + 1): too many failures",
            """
            <p><b>\(Parts.devices(failed))</b> failed. Of the first \
            \(Parts.devices(target.number)), the plan allows \(allowed) to fail \
            (\(Parts.percent(plan.failuresAllowed))). \(Self.end)</p>
            <p>The reasons are below. When their cause is mended, make a new campaign for the \
            devices that are left, with another name: \
            <code>bleota-fleet campaign create</code></p>
            """
        )
    }

    private var stopped: HTML {
        callout(
            "idle",
            "Stopped by an operator \(campaign.stage == nil ? "before it began" : "in stage \(stage + 1)")",
            """
            <p>\(Self.end)</p>
            <p><a href="/audit">The audit</a> has who stopped it. To update the devices that are \
            left, make a new campaign: <code>bleota-fleet campaign create</code></p>
            """
        )
    }

    private var finished: HTML {
        let failed = campaign.counts[.failed]
        let text: HTML =
            failed == 0
            ? "<p>Every device that it was for is updated.</p>"
            : """
            <p>All stages are done. \(Parts.devices(failed)) failed, within what the plan \
            allows: the reasons are below.</p>
            """
        return callout("updated", "Finished", text)
    }

    /// What is true of each campaign that was stopped.
    private static let end: HTML = """
        It can’t go on: no more devices are begun, and none is tried again. Devices that are \
        updated stay so.
        """

    private func callout(_ kind: String, _ title: HTML, _ text: HTML) -> HTML {
        """
        <section class="callout callout-\(kind)" aria-labelledby="state">
        <h2 id="state">\(title)</h2>
        \(text)
        </section>
        """
    }
}
