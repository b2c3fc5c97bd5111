import FleetModel
import FleetStore
import NATS

/// The list of devices, with a form that chooses among them.
struct DevicesPage {
    let page: DevicePage
    let campaigns: [CampaignID]

    private var query: DeviceQuery { page.query }

    var html: HTML {
        """
        <h1>Devices</h1>
        <form class="filters card" method="get" action="/devices" role="search">
        <label>Name <input type="search" name="search" value="\(query.search)" maxlength="64" \
        autocomplete="off" spellcheck="false"></label>
        <label>State <select name="state">\(stateOptions)</select></label>
        <label>Campaign <select name="campaign">\(campaignOptions)</select></label>
        <button type="submit" class="primary">Show</button>
        <a class="reset" href="/devices">All devices</a>
        </form>
        \(others)
        <p class="found" role="status">\(Parts.devices(page.deviceCount))\(pageWords)</p>
        \(DeviceTable(page: page).html)
        \(pager)
        """
    }

    private var stateOptions: [HTML] {
        [Self.option("", "any", query.state == nil)]
            + DeviceState.allCases.map {
                Self.option($0.rawValue, $0.rawValue, query.state == $0)
            }
    }

    private var campaignOptions: [HTML] {
        [Self.option("", "any", query.campaign == nil)]
            + campaigns.map { Self.option($0.text, $0.text, query.campaign == $0) }
    }

    private static func option(_ value: String, _ words: String, _ isChosen: Bool) -> HTML {
        let chosen: HTML = isChosen ? " selected" : ""
        return "<option value=\"\(value)\"\(chosen)>\(words)</option>"
    }

    /// What else the address chooses, without a field.
    private var others: HTML {
        var parts: [HTML] = []
        if let reason = query.reason { parts.append("that failed with “\(reason)”") }
        if let gateway = query.gateway { parts.append("at \(Parts.link(gateway))") }
        if let hardware = query.hardware { parts.append("of \(hardware.text)") }
        if let group = query.group { parts.append("in group \(group.text)") }
        guard let first = parts.first else { return .empty }
        return """
            <p class="notice">Only devices \(parts.dropFirst().reduce(first) { "\($0), \($1)" }). \
            <a href="/devices">Show all</a></p>
            """
    }

    private var pageWords: HTML {
        page.pageCount > 1 ? ", page \(query.page + 1) of \(page.pageCount)" : .empty
    }

    private var pager: HTML {
        guard page.pageCount > 1 else { return .empty }
        var links: [HTML] = []
        if query.page > 0 {
            links.append("<a rel=\"prev\" href=\"\(path(query.page - 1))\">Previous page</a>")
        }
        if query.page + 1 < page.pageCount {
            links.append("<a rel=\"next\" href=\"\(path(query.page + 1))\">Next page</a>")
        }
        return "<nav class=\"pager\" aria-label=\"More devices\">\(links)</nav>"
    }

    private func path(_ number: Int) -> String {
        "/devices"
            + Query(
                ("search", query.search),
                ("state", query.state?.rawValue),
                ("campaign", query.campaign?.text),
                ("gateway", query.gateway?.text),
                ("hardware", query.hardware?.text),
                ("group", query.group?.text),
                ("reason", query.reason),
                ("page", number == 0 ? nil : "\(number + 1)")
            ).text
    }
}

/// Devices as rows.
struct DeviceTable {
    let page: DevicePage

    var html: HTML {
        guard !page.rows.isEmpty else { return "<p class=\"card empty\">There are none.</p>" }
        return """
            <div class="card table"><table>
            <thead><tr><th scope="col">Device</th><th scope="col">State</th>\
            <th scope="col">Version</th><th scope="col" class="wide">Hardware</th>\
            <th scope="col" class="wide">Campaign</th>\
            <th scope="col" class="wide">Heard by</th></tr></thead>
            <tbody>\(page.rows.map(row))</tbody>
            </table></div>
            """
    }

    private func row(_ row: DevicePage.Row) -> HTML {
        let device = row.record
        let group: HTML = device.group.map { " / \($0.text)" } ?? ""
        let campaign: HTML = device.job.map { Parts.link($0.campaign) } ?? "–"
        let heard: HTML =
            if let gateway = row.heardBy, let strength = row.strength {
                """
                \(Parts.link(gateway)) <span class="soft small">\(Int(strength.dBm))\u{202F}dBm\
                </span>
                """
            } else {
                "–"
            }
        return """
            <tr data-key="\(device.id.text)"><th scope="row">\(Parts.link(device.id))</th>\
            <td>\(Parts.chip(row.state))\(Parts.progress(row.progress))</td>\
            <td>\(device.version.description)</td>\
            <td class="wide">\(device.hardware.text)\(group)</td>\
            <td class="wide">\(campaign)</td><td class="wide">\(heard)</td></tr>
            """
    }
}

/// One device: what it runs, who hears it, and what has happened to it.
struct DevicePageOfOne {
    let device: DeviceView
    let history: DeviceHistory

    var html: HTML {
        let record = device.record
        return """
            <p class="back"><a href="/devices">Devices</a></p>
            <div class="headline"><h1>\(record.id.text)</h1>\(Parts.chip(device.state))</div>
            \(progress)
            <div class="columns">
            <section aria-labelledby="facts"><h2 id="facts">Facts</h2>
            <div class="card"><dl class="facts">
            <dt>Version</dt><dd>\(record.version.description)</dd>
            <dt>Hardware</dt><dd>\(record.hardware.text)</dd>
            <dt>Group</dt><dd>\(record.group?.text ?? "–")</dd>
            <dt>Campaign</dt><dd>\(record.job.map { Parts.link($0.campaign) } ?? "–")</dd>
            <dt>Lent to</dt><dd>\(record.lease.map { Parts.link($0.gateway) } ?? "–")</dd>
            <dt>Turns</dt><dd>\(Int(record.turn.number))</dd>
            </dl></div></section>
            <section aria-labelledby="heard"><h2 id="heard">Heard by</h2>
            \(hearers)</section>
            </div>
            <section aria-labelledby="history"><h2 id="history">History</h2>
            \(HistoryList(history: history).html)
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

    private var hearers: HTML {
        guard !device.hearers.isEmpty else {
            return "<p class=\"card empty\">No gateway has heard it.</p>"
        }
        let items: [HTML] = device.hearers.map { hearer in
            // From -100 dBm, which is hardly heard, to -30, which is beside the antenna.
            let level = min(max(Int(hearer.strength.dBm) + 100, 0), 70)
            let words = "\(hearer.strength.dBm) dBm"
            return """
                <li data-key="\(hearer.gateway.text)"><span class="title">\
                \(Parts.link(hearer.gateway))</span>
                <span class="soft">\(words), last written \(Parts.time(hearer.moment))</span>
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
        case .lent(let gateway, let turn):
            "Lent to \(Parts.link(gateway)), turn \(Int(turn.number))"
        case .updated(let version): "Updated to \(version.description)"
        case .failed(let why): "Failed: \(why.detail)"
        case .retry(let attempt, let moment):
            "An attempt failed; attempt \(Int(attempt)) may begin at \(Parts.time(moment))"
        case .returned(let gateway):
            "\(Parts.link(gateway)) no longer has it; that counts as no attempt"
        case .version(let version): "Heard with version \(version.description)"
        case .group(let group): "Heard in \(group.map { "group \($0.text)" } ?? "no group" as HTML)"
        }
    }
}
