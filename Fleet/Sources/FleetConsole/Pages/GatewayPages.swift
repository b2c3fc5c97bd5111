import FleetModel

/// A gateway in a list.
struct GatewayRow {
    let gateway: GatewayView

    var html: HTML {
        let places = Int(gateway.status.places)
        let lent = gateway.lentCount
        let label = "\(lent) of \(places) places are taken"
        return """
            <li data-key="\(gateway.id.text)"><span class="title">\(Parts.link(gateway.id))</span>
            <span class="soft">\(Parts.chip(gateway.state)) updates <b>\(lent)</b> of \(places), \
            hears \(gateway.heardCount)</span>
            \(Parts.bar(label, of: max(places, lent), [("updating", lent)]))</li>
            """
    }
}

/// All gateways.
struct GatewaysPage {
    let gateways: [GatewayView]

    var html: HTML {
        let content: HTML =
            gateways.isEmpty
            ? "<p class=\"card empty\">No gateway has said that it is there.</p>"
            : """
            <div class="card table"><table>
            <thead><tr><th scope="col">Gateway</th><th scope="col">State</th>\
            <th scope="col">Updates</th><th scope="col" class="wide">Hears</th>\
            <th scope="col" class="wide">Program</th>\
            <th scope="col" class="wide">Last status (UTC)</th></tr></thead>
            <tbody>\(gateways.map(row))</tbody></table></div>
            """
        return "<h1>Gateways</h1>\(content)"
    }

    private func row(_ gateway: GatewayView) -> HTML {
        """
        <tr data-key="\(gateway.id.text)"><th scope="row">\(Parts.link(gateway.id))</th>\
        <td>\(Parts.chip(gateway.state))</td>\
        <td>\(gateway.lentCount) of \(Int(gateway.status.places))</td>\
        <td class="wide">\(gateway.heardCount)</td>\
        <td class="wide">\(gateway.status.program.description)</td>\
        <td class="wide">\(Parts.time(gateway.status.moment))</td></tr>
        """
    }
}

/// One gateway, and the devices that it has or hears.
struct GatewayPage {
    let gateway: GatewayView
    let lent: DevicePage
    let heard: DevicePage

    var html: HTML {
        let status = gateway.status
        return """
            <p class="back"><a href="/gateways">Gateways</a></p>
            <div class="headline"><h1>\(gateway.id.text)</h1>\(Parts.chip(gateway.state))</div>
            <div class="card"><dl class="facts">
            <dt>Updates</dt><dd>\(gateway.lentCount) of \(Int(status.places)) at once</dd>
            <dt>Hears</dt><dd>\(Parts.devices(gateway.heardCount))</dd>
            <dt>Program</dt><dd>\(status.program.description)</dd>
            <dt>Last status</dt><dd>\(Parts.time(status.moment)) by its own clock</dd>
            </dl></div>
            <section aria-labelledby="lent"><h2 id="lent">Devices that it updates</h2>
            \(DeviceTable(page: lent).html)</section>
            <section aria-labelledby="heard"><h2 id="heard">Devices that it hears</h2>
            \(DeviceTable(page: heard).html)\(more)</section>
            """
    }

    private var more: HTML {
        guard heard.pageCount > 1 else { return .empty }
        let path = "/devices" + Query(("gateway", gateway.id.text)).text
        return "<p><a href=\"\(path)\">All \(Parts.devices(heard.deviceCount))</a></p>"
    }
}
