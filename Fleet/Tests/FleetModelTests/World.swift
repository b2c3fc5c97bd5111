@testable import FleetModel

/// A small fleet, with everything that can happen next.
///
/// Three devices, two gateways, stages of one device and of all three. Records and leases are in
/// the store; what gateways believe is their own, and may be old.
struct World: Hashable {
    /// What a gateway believes of a device that it pushes to.
    struct Push: Hashable {
        let attempt: UInt8
        /// When the lease ends, as far as the gateway knows.
        var until: Moment
        /// What became of it, if it is over and not yet reported.
        var result: Bool?
    }

    /// What may become of a push: the image is good for all devices, for none, or for some.
    let results: [Bool]
    let deviceCount: Int
    var campaign: Campaign
    var records: [DeviceRecord]
    var leases: [Lease]
    /// By gateway, then by device.
    var pushes: [[Push?]]
    var now: UInt64 = 0

    // What no program knows, and the test checks.
    /// The devices to which anyone has begun to push.
    var touched: Set<Int> = []
    /// How often each device's record got an outcome.
    var endings: [Int]

    /// The clock stops here, so that there are finitely many worlds. Two leases can pass.
    static let end: UInt64 = 120

    init(results: [Bool], deviceCount: Int, attempts: UInt8) {
        self.results = results
        self.deviceCount = deviceCount
        let plan = Sample.plan(stages: [3_300, 10_000], failuresAllowed: 0, attempts: attempts)
        campaign = Campaign(plan)
        campaign.handle(.start(Sample.count(deviceCount)))
        records = (0..<deviceCount).map { Sample.device($0) }
        leases = Array(repeating: .free, count: deviceCount)
        pushes = Array(repeating: Array(repeating: nil, count: deviceCount), count: 2)
        endings = Array(repeating: 0, count: deviceCount)
    }

    private var moment: Moment { Sample.at(now) }

    /// Every world that can come next.
    var next: [World] {
        var worlds = [after { $0.control() }]
        if now < Self.end { worlds.append(after { $0.now += 60 }) }
        for gateway in 0..<2 {
            worlds.append(after { $0.pushes[gateway] = Array(repeating: nil, count: deviceCount) })
            for device in 0..<deviceCount {
                worlds.append(after { $0.take(device, gateway) })
                worlds.append(after { $0.progress(device, gateway) })
                for result in results {
                    worlds.append(after { $0.finish(device, gateway, result) })
                }
                worlds.append(after { $0.report(device, gateway) })
            }
        }
        return worlds.filter { $0 != self }
    }

    private func after(_ change: (inout World) -> Void) -> World {
        var world = self
        change(&world)
        return world
    }

    /// The controller: a new one each time, which knows only what is stored.
    private mutating func control() {
        campaign.handle(.counted(counts))
        let due = campaign.phase.devicesDue(counts, of: campaign.plan, at: moment).number
        let unassigned = records.indices.filter { records[$0].job == nil }.prefix(due)
        for device in unassigned { _ = records[device].assign(campaign.plan.id, at: moment) }
    }

    var counts: Tally.Counts {
        var tally = Tally(of: campaign.plan.id)
        for record in records { tally.see(record, at: 1) }
        return tally.counts
    }

    private mutating func take(_ device: Int, _ gateway: Int) {
        guard pushes[gateway][device] == nil, campaign.phase.letsDevicesTry,
            let attempt = records[device].job?.attemptDue(at: moment),
            let until = leases[device].handle(.take(Sample.gateways[gateway]), at: moment)
        else { return }
        pushes[gateway][device] = Push(attempt: attempt, until: until)
        touched.insert(device)
    }

    /// A block is stored, and the lease is renewed if it is still this gateway's.
    private mutating func progress(_ device: Int, _ gateway: Int) {
        guard var push = pushes[gateway][device], push.result == nil else { return }
        let until = leases[device].handle(.renew(Sample.gateways[gateway]), at: moment)
        if let until {
            push.until = until
            pushes[gateway][device] = push
        } else {
            pushes[gateway][device] = nil
        }
    }

    private mutating func finish(_ device: Int, _ gateway: Int, _ result: Bool) {
        guard pushes[gateway][device]?.result == nil else { return }
        pushes[gateway][device]?.result = result
    }

    /// Reports, also if the lease is over: the report may have been under way.
    private mutating func report(_ device: Int, _ gateway: Int) {
        guard let push = pushes[gateway][device], let result = push.result else { return }
        let hadOutcome = records[device].job?.outcome != nil
        records[device].report(
            result
                ? .succeeded(attempt: push.attempt)
                : .failed(attempt: push.attempt, .refused, at: moment),
            for: campaign.plan
        )
        if !hadOutcome, records[device].job?.outcome != nil { endings[device] += 1 }
        _ = leases[device].handle(.release(Sample.gateways[gateway]), at: moment)
        pushes[gateway][device] = nil
    }

    /// How many gateways believe that they have a device.
    func holders(of device: Int) -> Int {
        pushes.count { $0[device].map { $0.until > moment } ?? false }
    }
}
