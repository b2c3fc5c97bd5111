import FleetModel
import FleetStore
import NATS

extension Gateway {
    // MARK: - Status

    /// Says at each ``GatewayPace/statusInterval`` that the gateway is there.
    func beat() async throws(GatewayError) {
        var number = try await lastBeat()
        var isKnown = false
        while !Task.isCancelled {
            number += 1
            let isWritten = try await say(places, beat: number)
            if isWritten, !isKnown { tell(.ready(places: places)) }
            isKnown = isKnown || isWritten
            try? await Task.sleep(for: pace.statusInterval.duration)
        }
    }

    /// The number of the last beat of an earlier process, so that no two are equal.
    private func lastBeat() async throws(GatewayError) -> UInt64 {
        while !Task.isCancelled {
            let status = try await asking { () throws(FleetStoreError) in
                do throws(FleetStoreError) {
                    return try await store.gateways.get(id).value.beat
                } catch {
                    guard error == .nats(.notFound) else { throw error }
                    return 0
                }
            }
            if let status { return status }
            try? await Task.sleep(for: pace.pause.duration)
        }
        return 0
    }

    /// - Returns: whether it was written.
    private func say(_ places: UInt8, beat: UInt64) async throws(GatewayError) -> Bool {
        let status = GatewayStatus(
            places: places,
            program: program,
            beat: beat,
            at: SystemTime.moment
        )
        guard let status else { preconditionFailure("\(places) places are too many") }
        return try await asking { () throws(FleetStoreError) in
            try await store.gateways.put(id, status)
        } != nil
    }

    /// Says that the gateway takes no more devices.
    func sayLast(by deadline: ContinuousClock.Instant) async {
        while .now < deadline {
            do throws(GatewayError) {
                if try await say(0, beat: try await lastBeat() + 1) { return }
            } catch {
                return
            }
            try? await Task.sleep(for: .milliseconds(100))
        }
    }

    // MARK: - Orders

    func followOrders() async throws(GatewayError) {
        var feed: OrderFeed?
        while !Task.isCancelled {
            let changes = try await asking { () throws(FleetStoreError) in
                if feed == nil { feed = try await store.orderFeed(of: id) }
                return try await feed?.next(within: Self.orderLimit) ?? []
            }
            guard let changes else {
                try? await Task.sleep(for: pace.pause.duration)
                continue
            }
            for change in changes { take(change) }
        }
    }

    private func take(_ change: Shelf<DeviceAtGateway, Order>.Change) {
        switch change {
        case .value(let entry): take(entry.value, for: entry.name.device)
        case .deleted(let name, _): withdraw(name.device)
        case .unreadable(let key, _):
            tell(.orderIgnored("what is stored as \(key) can't be read"))
            // Whatever was ordered before is so no longer.
            if let name = DeviceAtGateway(key) { withdraw(name.device) }
        case .startedOver, .caughtUp: break
        }
    }

    // MARK: - Sightings

    func writeSightings() async throws(GatewayError) {
        while !Task.isCancelled {
            for device in sightings.due(at: SystemTime.uptime) where !Task.isCancelled {
                let name = DeviceAtGateway(device.id, at: id)
                let written = try await asking { () throws(FleetStoreError) in
                    try await store.sightings.put(name, device.sighting(at: SystemTime.moment))
                }
                guard written != nil else { break }
                sightings.wrote(device, at: SystemTime.uptime)
            }
            try? await Task.sleep(for: pace.tick.duration)
        }
    }

    // MARK: - Reports

    func writeReports() async throws(GatewayError) {
        for await _ in bell { try await writeDueReports() }
    }

    /// Writes what is due, until the engine is away.
    func writeDueReports() async throws(GatewayError) {
        for (device, report) in reports.due(at: SystemTime.uptime) {
            let written = try await asking { () throws(FleetStoreError) in
                try await store.reports.put(DeviceAtGateway(device, at: id), report)
            }
            guard written != nil else { return }
            reports.wrote(report, of: device, at: SystemTime.uptime)
        }
    }
}
