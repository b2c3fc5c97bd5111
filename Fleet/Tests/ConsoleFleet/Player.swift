import FleetModel
import FleetStore
import NATS

/// Writes the fleet into a store as a controller and its gateways would, without any: so that a
/// browser shows the same each time.
struct Player {
    private static let byteCount: UInt64 = 524_288

    let store: FleetStore
    /// The records with their revisions, as they were written last.
    private var records: [Int: (record: DeviceRecord, revision: Revision)] = [:]
    private var beat: UInt64 = 0

    init(_ store: FleetStore) { self.store = store }

    /// Writes everything: of the lamps, 156 are updated, 4 have failed, 24 are being updated, and
    /// 66 wait.
    mutating func fill() async throws {
        for campaign in Script.campaigns {
            try await store.campaigns.create(campaign.plan.id, campaign)
        }
        for (id, progress) in Script.progress { try await store.progress.create(id, progress) }
        for gateway in Script.gateways { try await status(gateway) }
        for number in 0..<1_240 { try await hear(number) }
        for number in 0..<1_240 { try await create(number) }
        let spring = Script.springPlan
        for number in 0..<250 { try await give(number, spring) }
        for number in 0..<184 { try await lend(number) }
        for number in 0..<160 {
            let failure = number % 40 == 39 ? Script.reasons[number / 40] : nil
            try await end(number, spring, failure)
        }
        for number in 160..<184 { try await progress(number, UInt64(number - 159) * 20_000) }
        try await fillOthers()
    }

    /// What the campaigns that don't move have done.
    private mutating func fillOthers() async throws {
        let campaigns = Script.campaigns.map(\.plan)
        for number in 997..<1_000 {
            try await give(number, campaigns[2])
            try await lend(number)
            try await end(number, campaigns[2], Script.reasons[0])
        }
        // Every third is on the roof.
        for number in stride(from: 1_000, to: 1_024, by: 3) {
            try await give(number, campaigns[1])
            guard number < 1_015 else { continue }
            try await lend(number)
            try await end(number, campaigns[1], nil)
        }
        try await give(996, campaigns[4])
        try await lend(996)
        try await end(996, campaigns[4], nil)
    }

    /// Ends the update of some lamps, and begins the next.
    mutating func move(_ count: Int) async throws {
        let busy = records.filter { $0.value.record.lease != nil }.keys.sorted().prefix(count)
        for number in busy { try await end(number, Script.springPlan, nil) }
        let waiting = records.filter { entry in
            let record = entry.value.record
            return record.lease == nil && record.job?.outcome == nil
                && record.job?.campaign == Script.spring
        }
        for number in waiting.keys.sorted().prefix(count) {
            try await lend(number)
            try await progress(number, 0)
        }
    }

    /// Says again that all gateways are there, but for the silent one.
    mutating func beat() async throws {
        for gateway in Script.gateways where gateway != Script.silent { try await status(gateway) }
    }

    // MARK: - Writing

    private mutating func status(_ gateway: GatewayID) async throws {
        beat += 1
        let program = FirmwareVersion(0, 1, 0)
        let status = GatewayStatus(places: 8, program: program, beat: beat, at: SystemTime.moment)!
        try await store.gateways.put(gateway, status)
    }

    private func hear(_ number: Int) async throws {
        let device = Script.device(number)
        let sighting = Sighting(
            hardware: device.hardware,
            group: device.group,
            version: device.version,
            strength: Strength(dBm: -45 - number % 40)!,
            at: SystemTime.moment
        )
        let name = DeviceAtGateway(device.id, at: Script.gateway(of: number))
        try await store.sightings.create(name, sighting)
        guard number % 3 == 0 else { return }
        let other = DeviceAtGateway(device.id, at: Script.gateway(of: number + 1))
        try await store.sightings.create(other, sighting)
    }

    private mutating func create(_ number: Int) async throws {
        let device = Script.device(number)
        records[number] = (device, try await store.devices.create(device.id, device))
    }

    private mutating func change(
        _ number: Int,
        _ change: (inout DeviceRecord) -> Void
    ) async throws {
        guard var (record, revision) = records[number] else { return }
        change(&record)
        revision = try await store.devices.update(record.id, record, after: revision)
        records[number] = (record, revision)
    }

    private mutating func lend(_ number: Int) async throws {
        let gateway = Script.gateway(of: number)
        try await change(number) { _ = $0.lend(to: gateway, at: SystemTime.moment, Script.retries) }
    }

    private mutating func give(_ number: Int, _ plan: CampaignPlan) async throws {
        try await change(number) { _ = $0.assign(plan.id, at: SystemTime.moment) }
    }

    private mutating func end(
        _ number: Int,
        _ plan: CampaignPlan,
        _ failure: Failure?
    ) async throws {
        let gateway = Script.gateway(of: number)
        try await change(number) { device in
            for attempt in 0..<3 where device.job?.outcome == nil {
                // A device that failed has had all its attempts.
                if attempt > 0 { _ = device.lend(to: gateway, at: .distant, plan.retries) }
                let news = failure.map { Report.News.failed($0) } ?? .succeeded
                let report = Report(campaign: plan.id, turn: device.turn, news)
                device.take(report, by: gateway, at: SystemTime.moment, for: plan)
            }
        }
    }

    private func progress(_ number: Int, _ storedByteCount: UInt64) async throws {
        guard let record = records[number]?.record else { return }
        let report = Report(
            campaign: Script.spring,
            turn: record.turn,
            .working(storedByteCount: storedByteCount, byteCount: Self.byteCount)
        )
        let name = DeviceAtGateway(record.id, at: Script.gateway(of: number))
        try await store.reports.put(name, report)
    }
}

extension Moment {
    /// When every pause is over.
    fileprivate static let distant = Moment(milliseconds: 1 << 50)!
}
