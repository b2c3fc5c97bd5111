package import FleetModel
import FleetStore

/// Which devices a list shows.
package struct DeviceQuery: Sendable, Hashable {
    package var state: DeviceState?
    package var campaign: CampaignID?
    /// The devices that this gateway has or hears.
    package var gateway: GatewayID?
    /// Only the devices that this gateway has.
    package var isLent = false
    package var hardware: HardwareName?
    package var group: GroupName?
    /// The reason for which the devices failed.
    package var reason: String?
    /// A part of the name, in capital or small letters.
    package var search = ""
    /// From 0.
    package var page = 0

    package init() {}
}

/// A part of a list of devices.
package struct DevicePage: Sendable {
    /// The devices of one page: a person doesn't read more, and its HTML is 100 KB.
    package static let rowsMax = 200

    package struct Row: Sendable {
        package let record: DeviceRecord
        package let state: DeviceState
        package let progress: FleetView.Progress?
        /// How well the gateway of the query hears it, or else the one that hears it best.
        package let heardBy: GatewayID?
        package let strength: Strength?
    }

    package let query: DeviceQuery
    package let rows: [Row]
    /// The devices on all pages.
    package let deviceCount: Int

    /// The number of pages, at least 1.
    package var pageCount: Int { max(1, (deviceCount + Self.rowsMax - 1) / Self.rowsMax) }
}

extension FleetView {
    /// A page of the devices that a query is for, by name. A page beyond the end has no rows.
    package mutating func devices(_ query: DeviceQuery) -> DevicePage {
        let needle = Array(query.search.utf8.map(Self.small))
        let start = query.page * DevicePage.rowsMax
        var rows: [DevicePage.Row] = []
        var count = 0
        for name in candidates(query) {
            guard let device = devices[name], has(device, query, needle) else { continue }
            if count >= start, rows.count < DevicePage.rowsMax { rows.append(row(device, query)) }
            count += 1
        }
        return DevicePage(query: query, rows: rows, deviceCount: count)
    }

    private mutating func candidates(_ query: DeviceQuery) -> [DeviceID] {
        guard let gateway = query.gateway else { return names.names() }
        let lent = lent[gateway] ?? []
        if query.isLent { return lent.sorted() }
        return lent.union(sightings[gateway].map { Set($0.keys) } ?? []).sorted()
    }

    private func has(_ device: DeviceRecord, _ query: DeviceQuery, _ needle: [UInt8]) -> Bool {
        if let state = query.state, DeviceState(device) != state { return false }
        if let campaign = query.campaign, device.job?.campaign != campaign { return false }
        if let hardware = query.hardware, device.hardware != hardware { return false }
        if let group = query.group, device.group != group { return false }
        if let reason = query.reason {
            guard case .failed(let why) = device.job?.state, why.detail == reason else {
                return false
            }
        }
        return needle.isEmpty || Self.has(device.id.text, needle)
    }

    /// Whether a name has a part, by its bytes: names are ASCII, and there may be a million.
    private static func has(_ name: String, _ needle: [UInt8]) -> Bool {
        let bytes = name.utf8
        guard bytes.count >= needle.count else { return false }
        var start = bytes.startIndex
        for _ in 0...(bytes.count - needle.count) {
            if zip(bytes[start...], needle).allSatisfy({ small($0) == $1 }) { return true }
            start = bytes.index(after: start)
        }
        return false
    }

    private static func small(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }

    private func row(_ device: DeviceRecord, _ query: DeviceQuery) -> DevicePage.Row {
        let heard = hearers(of: device.id)
        let best = heard.first { query.gateway == nil || $0.gateway == query.gateway }
        return DevicePage.Row(
            record: device,
            state: DeviceState(device),
            progress: progress(of: device),
            heardBy: best?.gateway,
            strength: best?.strength
        )
    }
}
