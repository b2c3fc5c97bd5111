import FleetModel

/// Reasons of failures, each with the part of all failures that it has.
struct FailureList {
    let groups: [CampaignView.FailureGroup]
    let shownMax: Int
    let namesCampaign: Bool

    var html: HTML {
        let all = groups.reduce(0) { $0 + $1.deviceCount }
        let items: [HTML] = groups.prefix(shownMax).map { group in
            let path = Query(
                ("state", "failed"),
                ("campaign", group.campaign.text),
                ("reason", group.failure.detail)
            )
            let campaign: HTML = namesCampaign ? " · \(Parts.link(group.campaign))" : .empty
            let count = group.deviceCount
            return """
                <li data-key="\(group.campaign.text) \(group.failure.detail)">
                <span class="title"><a href="/devices\(path.text)">\
                \(group.failure.detail)</a></span>
                <span class="count"><b>\(count)</b> \(count == 1 ? "device" : "devices")</span>
                <span class="soft more">\(Self.words(group.failure.kind))\(campaign)</span>
                \(Parts.bar("\(count) of \(all) failures", of: all, [("failed", count)]))
                </li>
                """
        }
        return "<ul class=\"rows\">\(items)</ul>"
    }

    static func words(_ kind: Failure.Kind) -> HTML {
        switch kind {
        case .refused: "Refused by the device"
        case .unreachable: "The device couldn’t be reached"
        case .gateway: "The gateway failed"
        case .rejected: "Refused by the device, for good"
        }
    }
}
