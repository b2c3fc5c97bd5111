import FleetModel
import FleetStore
import NATS

extension Gateway {
    // MARK: - Status

    /// Waits until nobody else speaks under the name.
    ///
    /// - Returns: `false` if the task was cancelled before.
    func claimName() async throws(GatewayError) -> Bool {
        var isTold = false
        while !Task.isCancelled {
            let verdict = try await asking { () throws(FleetStoreError) in
                claim.see(try await lastStatus()?.value, at: SystemTime.uptime)
            }
            switch verdict {
            case .own: return true
            case .taken: throw .nameTaken(id)
            case .unknown where !isTold:
                tell(.nameInUse)
                isTold = true
            case .unknown, nil: break
            }
            try? await Task.sleep(for: pace.pause.duration)
        }
        return false
    }

    /// Says at each ``GatewayPace/statusInterval`` that the gateway is there.
    func beat() async throws(GatewayError) {
        var isKnown = false
        while !Task.isCancelled {
            let isWritten = try await say(places)
            if isWritten, !isKnown { tell(.ready(places: places)) }
            isKnown = isKnown || isWritten
            // What isn't written is tried again soon, before the fleet takes it for silence.
            let pause = isWritten ? pace.statusInterval : pace.pause
            try? await Task.sleep(for: pause.duration)
        }
    }

    /// The last status under the name; `nil` if there is none, or none that this program can read.
    private func lastStatus() async throws(FleetStoreError) -> Shelf<GatewayID, GatewayStatus>
        .Entry?
    {
        do throws(FleetStoreError) {
            return try await store.gateways.get(id)
        } catch {
            switch error {
            case .nats(.notFound), .unreadable: return nil
            default: throw error
            }
        }
    }

    /// - Returns: whether it was written.
    private func say(_ places: UInt8) async throws(GatewayError) -> Bool {
        let verdict = try await asking { () throws(FleetStoreError) in
            let last = try await lastStatus()
            let verdict = claim.see(last?.value, at: SystemTime.uptime)
            guard verdict == .own else { return verdict }
            let status = GatewayStatus(
                places: places,
                program: program,
                // No two are equal, also of earlier processes.
                beat: (last?.value.beat ?? 0) &+ 1,
                at: SystemTime.moment,
                instance: images.instance
            )
            guard let status else { preconditionFailure("\(places) places are too many") }
            try await store.gateways.put(id, status)
            return verdict
        }
        switch verdict {
        case .own: return true
        case .taken, .unknown: throw .nameTaken(id)
        case nil: return false
        }
    }

    /// Says that the gateway takes no more devices.
    func sayLast() async {
        let start = ContinuousClock.now
        while .now < start + patience {
            do throws(GatewayError) {
                if try await say(0) { return }
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
            // No order comes also while the servers have no leader.
            let changes = try await asking(isAnswer: { !$0.isEmpty }) {
                () throws(FleetStoreError) in
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
