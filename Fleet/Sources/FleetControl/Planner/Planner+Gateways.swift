import DequeModule
package import FleetModel
package import FleetStore

extension Planner {
    package mutating func see(_ status: GatewayStatus, of gateway: GatewayID, at now: Uptime) {
        let number = number(of: gateway)
        if gateways[number.index].status == nil { newGateways.append(gateway) }
        gateways[number.index].status = (status.places, now)
        openGateways.insert(number)
    }

    package mutating func forget(_ gateway: GatewayID) {
        let number = number(of: gateway)
        gateways[number.index].status = nil
    }

    /// - Parameter stored: when the server stored it, by its clock; `nil` if that isn't known.
    package mutating func see(
        _ sighting: Sighting,
        _ name: DeviceAtGateway,
        stored: Moment? = nil
    ) {
        let gateway = number(of: name.gateway)
        guard isHeard(name.device, at: gateway) || isBelieved(name.gateway),
            let device = numberOfHeard(name.device)
        else { return }
        var first = devices[device].ears
        let ear = Ear(gateway: gateway, strength: sighting.strength)
        let isNew = ears.hear(ear, &first)
        devices.setEars(first, of: device)
        note(sighting, of: device, stored: stored)
        guard isNew, hasCaughtUp else { return }
        enqueue(device, at: gateway)
        if devices[device].isWaiting { awaitRetry(of: device) }
    }

    private func isHeard(_ name: DeviceID, at gateway: GatewayNumber) -> Bool {
        guard let device = devices.number(of: name) else { return false }
        return ears.ears(from: devices[device].ears).contains { $0.gateway == gateway }
    }

    /// Whether a gateway may hear one more device.
    private mutating func isBelieved(_ gateway: GatewayID) -> Bool {
        switch heardCounts.hear(at: gateway) {
        case .believed: return true
        case .tooMany: return false
        case .first:
            accuse(
                gateway,
                "\(gateway) claims to hear more than \(heardCounts.max) devices; the others are "
                    + "ignored"
            )
            return false
        }
    }

    /// The number of a device; `nil` for one more than there may be.
    mutating func numberOfHeard(_ name: DeviceID) -> DeviceNumber? {
        devices.number(of: name)
            ?? (devices.count < Self.devicesMax ? devices.add(name) : nil)
    }

    private mutating func note(
        _ sighting: Sighting,
        of device: DeviceNumber,
        stored: Moment?
    ) {
        guard hasCaughtUp || isNews(of: device, stored: stored) else { return }
        let kind = DeviceKind(sighting)
        let row = devices[device]
        if row.hasRecord, devices.kinds[row.kind] == kind {
            devices.setHeard(nil, of: device)
        } else {
            if hasCaughtUp, row.heardKind == 0 { newsQueue.append(device) }
            devices.setHeard(kind, of: device)
        }
    }

    /// Whether what was seen before this term is newer than the record. Gateways write what they
    /// hear also while no controller reads it, or after an older store was restored.
    private func isNews(of device: DeviceNumber, stored: Moment?) -> Bool {
        guard devices[device].hasRecord else { return true }
        guard let stored else { return false }
        return devices.hasRecord(of: device, before: stored, by: pace.newsMargin)
    }

    package mutating func forgetSighting(_ name: DeviceAtGateway) {
        guard let device = devices.number(of: name.device) else { return }
        var first = devices[device].ears
        ears.forget(number(of: name.gateway), &first)
        devices.setEars(first, of: device)
    }

    /// Nothing could be seen for a while, so nobody's silence counts.
    package mutating func forgiveSilence(at now: Uptime) {
        for device in leases.keys { leases[device]?.seen = now }
        for gateway in devices.gateways.numbers { gateways[gateway.index].status?.heard = now }
        openAllGateways()
    }

    // MARK: - Decisions

    /// Takes what gateways hear into the records.
    mutating func takeNews(_ writes: inout [Write]) {
        while hasRoom, let device = newsQueue.popFirst() {
            earlyNewsCount = max(0, earlyNewsCount - 1)
            // What is under way comes here again when it is over.
            guard !flights.has(device), let heard = devices.heard(of: device) else { continue }
            devices.setHeard(nil, of: device)
            guard var record = devices.record(of: device)?.value else {
                var new = DeviceRecord(
                    id: devices.name(of: device),
                    hardware: heard.hardware,
                    group: heard.group,
                    version: heard.version
                )
                new.key = enrolled[device]
                write(new, device, &writes)
                continue
            }
            guard !devices[device].isBusy, record.hardware == heard.hardware,
                DeviceKind(record) != heard
            else { continue }
            record.version = heard.version
            record.group = heard.group
            write(record, device, &writes)
        }
    }

    /// The gateway with a free place that hears a device best. One that was silent about it, or
    /// brought no receipt, comes last.
    func bestPlace(for device: DeviceNumber, at now: Uptime) -> GatewayNumber? {
        let avoided = avoided[device]
        func worth(_ ear: Ear) -> (Int, Strength) { (ear.gateway == avoided ? 0 : 1, ear.strength) }
        return ears.ears(from: devices[device].ears).filter { hasPlace($0.gateway, at: now) }
            .max { worth($0) < worth($1) }?.gateway
    }
}
