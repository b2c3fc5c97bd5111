import DequeModule
package import FleetModel
package import FleetStore
package import NATS

extension Planner {
    /// Sees an order; `nil` for one that can't be read.
    package mutating func see(_ order: Order?, _ name: DeviceAtGateway, _ revision: Revision) {
        let device = devices.add(name.device)
        if let old = orders[device]?[name.gateway], old.revision >= revision { return }
        orders[device, default: [:]][name.gateway] = Known(value: order, revision: revision)
        unsettle(device)
    }

    package mutating func forgetOrder(_ name: DeviceAtGateway, upTo revision: Revision? = nil) {
        guard let device = devices.number(of: name.device),
            let old = orders[device]?[name.gateway]
        else { return }
        if let revision, revision < old.revision { return }
        orders[device]?[name.gateway] = nil
        if orders[device]?.isEmpty == true { orders[device] = nil }
        unsettle(device)
    }

    mutating func unsettle(_ device: DeviceNumber) {
        guard !devices[device].isUnsettled else { return }
        devices.setUnsettled(true, device)
        unsettledQueue.append(device)
    }

    // MARK: - Decisions

    /// Makes the orders what the records say, one write for each device at a time.
    mutating func settleOrders(_ writes: inout [Write]) {
        while hasRoom, let device = unsettledQueue.popFirst() {
            devices.setUnsettled(false, device)
            // What is under way comes here again when it is over.
            guard !flights.orders.contains(device), let write = orderWrite(device) else { continue }
            flights.beginOrders(of: device)
            writes.append(write)
        }
    }

    private func orderWrite(_ device: DeviceNumber) -> Write? {
        let name = devices.name(of: device)
        let (wanted, lessee) = wantedOrder(device)
        let present = orders[device] ?? [:]
        // The former gateway is told first.
        if let (gateway, known) = present.first(where: { $0.key != lessee }) {
            return .withdrawal(DeviceAtGateway(name, at: gateway), after: known.revision)
        }
        guard let wanted, let lessee, present[lessee]?.value != wanted else { return nil }
        let revision = present[lessee]?.revision
        return .order(DeviceAtGateway(name, at: lessee), wanted, after: revision)
    }

    private func wantedOrder(_ device: DeviceNumber) -> (Order?, GatewayID?) {
        guard let campaign = devices[device].campaign, devices[device].lessee != nil,
            let plan = campaigns[campaign.index].known?.value.plan,
            let record = devices.record(of: device)?.value
        else { return (nil, nil) }
        return (record.order(for: plan), record.lease?.gateway)
    }
}
