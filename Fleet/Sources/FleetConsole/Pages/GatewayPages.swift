import FleetModel

/// A gateway in a list.
struct GatewayRow {
    let gateway: GatewayView

    var html: HTML {
        let places = Int(gateway.status.places)
        let lent = gateway.lentCount
        let label = "\(lent) of \(places) places are taken"
        return """
            <li class="gateway" data-key="\(gateway.id.text)">
            <span class="title">\(Parts.link(gateway.id))</span>
            <span class="chips">\(Parts.chip(gateway.state))</span>
            <span class="count">updates <b>\(lent)</b> of \(places)</span>
            <span class="count">hears <b>\(gateway.heardCount)</b></span>
            \(Parts.bar(label, of: max(places, lent), [("updating", lent)]))</li>
            """
    }
}

/// All gateways.
struct GatewaysPage {
    /// The most rows; programs get all of them.
    static let rowsMax = 500

    let gateways: [GatewayView]

    var html: HTML {
        let rest = gateways.count - Self.rowsMax
        let more: HTML = rest > 0 ? "<p class=\"soft\">and \(rest) more</p>" : .empty
        let content: HTML =
            gateways.isEmpty
            ? "<p class=\"card empty\">No gateway has said that it is there.</p>"
            : """
            <div class="card table"><table>
            <thead><tr><th scope="col">Gateway</th><th scope="col">State</th>\
            <th scope="col" class="figure">Updates</th>\
            <th scope="col" class="wide figure">Hears</th>\
            <th scope="col" class="wide">Program</th>\
            <th scope="col" class="wide">Last status (UTC)</th></tr></thead>
            <tbody>\(gateways.byUrgency.prefix(Self.rowsMax).map(row))</tbody></table></div>
            """
        return "<h1>Gateways</h1>\(content)\(more)"
    }

    private func row(_ gateway: GatewayView) -> HTML {
        """
        <tr data-key="\(gateway.id.text)"><th scope="row">\(Parts.link(gateway.id))</th>\
        <td>\(Parts.chip(gateway.state))</td>\
        <td class="figure">\(gateway.lentCount) of \(Int(gateway.status.places))</td>\
        <td class="wide figure">\(gateway.heardCount)</td>\
        <td class="wide">\(gateway.status.program.description)</td>\
        <td class="wide">\(Parts.time(gateway.status.moment))</td></tr>
        """
    }
}

/// One gateway, and the devices that it has or hears.
struct GatewayPage {
    /// The most devices that it hears; another page has all of them.
    static let heardMax = 20

    let gateway: GatewayView
    let lent: DevicePage
    let heard: DevicePage

    var html: HTML {
        let status = gateway.status
        return """
            <p class="back"><a href="/gateways">Gateways</a></p>
            <div class="headline"><h1>\(gateway.id.text)</h1>\(Parts.chip(gateway.state))</div>
            \(callout)
            <div class="card"><dl class="facts">
            <dt>Updates</dt><dd>\(gateway.lentCount) of \(Int(status.places)) at once</dd>
            <dt>Hears</dt><dd>\(Parts.devices(gateway.heardCount))</dd>
            <dt>Program</dt><dd>\(status.program.description)</dd>
            <dt>Last status</dt><dd>\(Parts.time(status.moment)) by its own clock</dd>
            </dl></div>
            <section aria-labelledby="lent"><h2 id="lent">Devices that it updates</h2>
            \(DeviceTable(page: lent).html)</section>
            <section aria-labelledby="heard"><h2 id="heard">Devices that it hears</h2>
            \(DeviceTable(page: heard, rowsMax: Self.heardMax).html)\(more)</section>
            """
    }

    private var callout: HTML {
        switch gateway.state {
        case .live, .unknown: .empty
        case .ending:
            """
            <section class="callout callout-waiting"><p>It takes no more devices, because it is \
            about to end.</p></section>
            """
        case .silent:
            """
            <section class="callout callout-failed"><p>Nothing has been heard from it for \
            \(Int(GatewayStatus.silenceMax.milliseconds / 1_000)) seconds. Other gateways get its \
            devices if they hear them. Is its machine on, and does it reach the server?</p>\
            </section>
            """
        }
    }

    private var more: HTML {
        guard heard.deviceCount > Self.heardMax else { return .empty }
        let path = "/devices" + Query(("gateway", gateway.id.text)).text
        return "<p><a href=\"\(path)\">All \(Parts.devices(heard.deviceCount))</a></p>"
    }
}

extension [GatewayView] {
    /// First those that an operator may have to do something about, then by name.
    var byUrgency: [GatewayView] {
        sorted { ($0.state.urgency, $0.id) < ($1.state.urgency, $1.id) }
    }
}

extension GatewayView.State {
    fileprivate var urgency: Int {
        switch self {
        case .silent: 0
        case .ending: 1
        case .unknown: 2
        case .live: 3
        }
    }
}
