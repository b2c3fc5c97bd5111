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
