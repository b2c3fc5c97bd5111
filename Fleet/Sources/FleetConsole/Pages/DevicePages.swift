import FleetModel

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
    var rowsMax = DevicePage.rowsMax

    var html: HTML {
        guard !page.rows.isEmpty else { return "<p class=\"card empty\">There are none.</p>" }
        return """
            <div class="card table"><table>
            <thead><tr><th scope="col">Device</th><th scope="col">State</th>\
            <th scope="col">Version</th><th scope="col" class="wide">Hardware</th>\
            <th scope="col" class="wide">Campaign</th>\
            <th scope="col" class="wide">Heard by</th></tr></thead>
            <tbody>\(page.rows.prefix(rowsMax).map(row))</tbody>
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
                \(Parts.link(gateway)) <span class="soft small">\(Parts.strength(strength))</span>
                """
            } else {
                "–"
            }
        return """
            <tr data-key="\(device.id.text)"><th scope="row">\(Parts.link(device.id))</th>\
            <td><div class="state">\(Parts.chip(row.state))\(Parts.progress(row.progress))\
            \(Self.reason(device))</div></td>\
            <td class="version">\(device.version.description)</td>\
            <td class="wide">\(device.hardware.text)\(group)</td>\
            <td class="wide">\(campaign)</td><td class="wide">\(heard)</td></tr>
            """
    }

    private static func reason(_ device: DeviceRecord) -> HTML {
        guard case .failed(let why) = device.job?.state else { return .empty }
        return "<span class=\"soft small reason\" title=\"\(why.detail)\">\(why.detail)</span>"
    }
}
