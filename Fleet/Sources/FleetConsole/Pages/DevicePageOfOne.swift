import FleetModel
import FleetStore
import NATS

/// One device: what it runs, who hears it, and what has happened to it.
struct DevicePageOfOne {
    let device: DeviceView
    /// `nil` if the store couldn't be reached.
    let history: DeviceHistory?

    var html: HTML {
        let record = device.record
        return """
            <p class="back"><a href="/devices">Devices</a></p>
            <div class="headline"><h1>\(record.id.text)</h1>\(Parts.chip(device.state))</div>
            \(progress)\(failure)
            <div class="columns">
            <section aria-labelledby="facts"><h2 id="facts">Facts</h2>
            <div class="card"><dl class="facts">
            <dt>Version</dt><dd>\(record.version.description)</dd>
            <dt>Hardware</dt><dd>\(record.hardware.text)</dd>
            <dt>Group</dt><dd>\(record.group?.text ?? "–")</dd>
            <dt>Campaign</dt><dd>\(record.job.map { Parts.link($0.campaign) } ?? "–")</dd>
            <dt>Lent to</dt><dd>\(record.lease.map { Parts.link($0.gateway) } ?? "–")</dd>
            <dt>Times lent</dt><dd>\(Int(record.turn.number))</dd>
            \(next)
            </dl></div></section>
            <section aria-labelledby="heard"><h2 id="heard">Heard by</h2>
            \(hearers)</section>
            </div>
            <section aria-labelledby="history"><h2 id="history">History</h2>
            \(history.map { HistoryList(history: $0).html } ?? Self.unknownHistory)
            </section>
            """
    }

    private var progress: HTML {
        guard let progress = device.progress else { return .empty }
        return """
            <section class="card" aria-label="Progress">
            <p>\(Parts.bytes(progress.storedByteCount)) of \(Parts.bytes(progress.byteCount)) are \
            stored on the device.</p>
            \(Parts.progress(progress))
            </section>
            """
    }

    private var failure: HTML {
        guard case .failed(let why) = device.record.job?.state else { return .empty }
        return """
            <section class="callout callout-failed" aria-labelledby="reason">
            <h2 id="reason">\(why.detail)</h2>
            <p>\(FailureList.words(why.kind)), and no attempt is left in this campaign.</p>
            </section>
            """
    }

    /// What it waits for.
    private var next: HTML {
        guard device.record.lease == nil,
            case .waiting(let attempt, let moment, let why) = device.record.job?.state
        else { return .empty }
        let start: HTML = attempt > 1 ? ", not before \(Parts.time(moment))" : ""
        let reason: HTML = why.map { "<dt>Last failure</dt><dd>\($0.detail)</dd>" } ?? .empty
        return "<dt>Next</dt><dd>attempt \(Int(attempt))\(start)</dd>\(reason)"
    }

    private static let unknownHistory: HTML = """
        <p class="card empty">The history is in the store, which can’t be reached at present.</p>
        """

    private var hearers: HTML {
        guard !device.hearers.isEmpty else {
            return "<p class=\"card empty\">No gateway has heard it.</p>"
        }
        let items: [HTML] = device.hearers.map { hearer in
            // From -100 dBm, which is hardly heard, to -30, which is beside the antenna.
            let level = min(max(Int(hearer.strength.dBm) + 100, 0), 70)
            let words = Parts.strength(hearer.strength)
            return """
                <li data-key="\(hearer.gateway.text)"><span class="title">\
                \(Parts.link(hearer.gateway))</span>
                <span class="count"><b>\(words)</b></span>
                <span class="soft more">written down \(Parts.time(hearer.moment))</span>
                \(Parts.bar(words, of: 70, [("stage", level)]))</li>
                """
        }
        return "<div class=\"card\"><ul class=\"rows\">\(items)</ul></div>"
    }
}

/// What has happened to a device.
struct HistoryList {
    let history: DeviceHistory

    var html: HTML {
        let items: [HTML] = history.events.map {
            """
            <li class="event event-\(Self.kind($0.news))"><span>\(Self.words($0.news))</span>\
            \(Parts.time($0.moment))</li>
            """
        }
        return """
            <div class="card"><ol class="history">\(items)</ol>
            <p class="soft small">The store keeps the last \(FleetStore.deviceHistory.count) \
            writings of a device’s record. Times are UTC, by the NATS server’s clock.</p></div>
            """
    }

    private static func kind(_ news: DeviceHistory.News) -> String {
        switch news {
        case .updated: "updated"
        case .failed: "failed"
        case .retry, .returned: "waiting"
        case .lent: "updating"
        case .given, .known, .version, .group: "idle"
        }
    }

    private static func words(_ news: DeviceHistory.News) -> HTML {
        switch news {
        case .known(let state, let version):
            "The oldest writing that is kept: \(state.rawValue), version \(version.description)"
        case .given(let campaign): "Given a job of \(Parts.link(campaign))"
        case .lent(let gateway, _): "Lent to \(Parts.link(gateway))"
        case .updated(let version): "Updated to \(version.description)"
        case .failed(let why): "Failed: \(why.detail)"
        case .retry(let attempt, let moment, let why):
            """
            An attempt failed\(why.map { ": \($0.detail)" } ?? ""); attempt \(Int(attempt)) may \
            begin at \(Parts.time(moment))
            """
        case .returned(let gateway):
            "\(Parts.link(gateway)) no longer has it; that counts as no attempt"
        case .version(let version): "Heard with version \(version.description)"
        case .group(let group): "Heard in \(group.map { "group \($0.text)" } ?? "no group" as HTML)"
        }
    }
}
