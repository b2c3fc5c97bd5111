import FleetModel
import FleetStore
import NATS

/// Keeps a ``FleetView`` current with the store.
actor FleetFeed {
    /// The pause before a watch that failed is begun again.
    private static let pause = Duration.seconds(1)

    nonisolated let store: FleetStore
    /// When it began to watch.
    nonisolated let start = SystemTime.uptime
    private var view = FleetView()
    /// Whether the store answered when it was asked last.
    private var isAnswering = true

    init(_ store: FleetStore) { self.store = store }

    /// Reads what is known at present.
    func read<Value: Sendable>(_ body: (inout FleetView, Uptime) -> Value) -> Value {
        body(&view, SystemTime.uptime)
    }

    var summary: FleetSummary { view.summary(at: SystemTime.uptime, since: start) }

    /// Watches until the task is cancelled.
    ///
    /// - Throws: what trying again doesn't mend.
    func run() async throws(FleetStoreError) {
        let failure = await withTaskGroup(of: FleetStoreError?.self) { group in
            for part in FleetView.Part.allCases { group.addTask { await self.failure(of: part) } }
            group.addTask {
                await self.askStore()
                return nil
            }
            group.addTask {
                await self.watchConnection()
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first
        }
        if let failure { throw failure }
    }

    private func failure(of part: FleetView.Part) async -> FleetStoreError? {
        while !Task.isCancelled {
            do throws(FleetStoreError) {
                switch part {
                case .campaigns: try await follow(store.campaigns, part) { take($0) }
                case .progress: try await follow(store.progress, part) { take($0) }
                case .devices: try await follow(store.devices, part) { take($0) }
                case .gateways: try await follow(store.gateways, part) { take($0) }
                case .sightings: try await follow(store.sightings, part) { take($0) }
                case .reports: try await follow(store.reports, part) { take($0) }
                }
            } catch {
                guard error.mayPass else { return error }
            }
            try? await Task.sleep(for: Self.pause)
        }
        return nil
    }

    private func follow<Name, Value>(
        _ shelf: Shelf<Name, Value>,
        _ part: FleetView.Part,
        _ take: (Shelf<Name, Value>.Change) -> Void
    ) async throws(FleetStoreError) {
        let watch = try await shelf.watch()
        // A new watch tells what is there, not what went before it began.
        view.startOver(part)
        for try await change in watch {
            switch change {
            case .caughtUp: view.catchUp(part)
            case .startedOver: view.startOver(part)
            case .value, .deleted, .unreadable: take(change)
            }
        }
    }

    /// A server that is left alone answers a client, but has no leader, so that nothing changes.
    private func askStore() async {
        while !Task.isCancelled {
            isAnswering = await store.isAnswering
            try? await Task.sleep(for: Self.pause)
        }
    }

    private func watchConnection() async {
        while !Task.isCancelled {
            let isConnected = store.connection.serverVersion != nil && isAnswering
            view.connect(isConnected, at: SystemTime.moment)
            view.look(at: SystemTime.moment)
            try? await Task.sleep(for: Self.pause / 2)
        }
    }

    // MARK: - Changes

    private func take(_ change: Shelf<CampaignID, Campaign>.Change) {
        switch change {
        case .value(let entry): view.see(entry.value)
        case .deleted(let campaign, _): view.forget(campaign)
        case .unreadable(let key, _): CampaignID(key).map { view.forget($0) }
        case .caughtUp, .startedOver: break
        }
    }

    private func take(_ change: Shelf<CampaignID, Progress>.Change) {
        switch change {
        case .value(let entry): view.see(entry.value, of: entry.name)
        case .deleted(let campaign, _): view.forgetProgress(of: campaign)
        case .unreadable(let key, _): CampaignID(key).map { view.forgetProgress(of: $0) }
        case .caughtUp, .startedOver: break
        }
    }

    private func take(_ change: Shelf<DeviceID, DeviceRecord>.Change) {
        switch change {
        case .value(let entry): view.see(entry.value)
        case .deleted(let device, _): view.forget(device)
        case .unreadable(let key, _): DeviceID(key).map { view.forget($0) }
        case .caughtUp, .startedOver: break
        }
    }

    private func take(_ change: Shelf<GatewayID, GatewayStatus>.Change) {
        switch change {
        case .value(let entry):
            let isNews = !view.isReading(.gateways)
            view.see(entry.value, of: entry.name, at: isNews ? SystemTime.uptime : nil)
        case .deleted(let gateway, _): view.forget(gateway)
        case .unreadable(let key, _): GatewayID(key).map { view.forget($0) }
        case .caughtUp, .startedOver: break
        }
    }

    private func take(_ change: Shelf<DeviceAtGateway, Sighting>.Change) {
        switch change {
        case .value(let entry): view.see(entry.value, entry.name)
        case .deleted(let name, _): view.forgetSighting(name)
        case .unreadable(let key, _): DeviceAtGateway(key).map { view.forgetSighting($0) }
        case .caughtUp, .startedOver: break
        }
    }

    private func take(_ change: Shelf<DeviceAtGateway, Report>.Change) {
        switch change {
        case .value(let entry): view.see(entry.value, entry.name)
        case .deleted(let name, _): view.forgetReport(name)
        case .unreadable(let key, _): DeviceAtGateway(key).map { view.forgetReport($0) }
        case .caughtUp, .startedOver: break
        }
    }
}
