package import FleetModel
package import FleetStore
package import NATS

/// What a controller is to write next, on condition that `after` is the last revision; `nil` if
/// there must be none.
package enum Write: Sendable {
    case record(DeviceRecord, after: Revision?)
    case campaign(Campaign, after: Revision)
    case progress(CampaignID, Progress, after: Revision?)
    case order(DeviceAtGateway, Order, after: Revision?)
    case withdrawal(DeviceAtGateway, after: Revision)
    case audit(GatewayID, String)
    /// Not a value, but the feed through which a gateway gets its orders.
    case feed(GatewayID)
}

/// A value as it is on the server.
struct Known<Value: Sendable>: Sendable {
    let value: Value
    let revision: Revision
}

/// How well a gateway hears a device.
struct Ear: Sendable {
    let gateway: GatewayID
    let strength: Strength
}

/// Devices in the order in which they came. It only grows at its end and shrinks at its beginning.
struct DeviceQueue: Sendable {
    private var devices: [DeviceID] = []
    private var start = 0

    var isEmpty: Bool { start == devices.count }

    mutating func append(_ device: DeviceID) { devices.append(device) }

    mutating func popFirst() -> DeviceID? {
        guard start < devices.count else { return nil }
        defer {
            start += 1
            // Moving half of them after as many steps costs each step the same.
            if start >= 1_024, start * 2 >= devices.count {
                devices.removeFirst(start)
                start = 0
            }
        }
        return devices[start]
    }
}
