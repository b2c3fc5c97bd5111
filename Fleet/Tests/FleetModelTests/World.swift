@testable import FleetModel

/// A small fleet, with everything that can happen next. It has no clock: a lease may be found
/// silent at any time, and a retry is due at once.
///
/// A gateway may begin with every order that it was ever given, however late, which is more than a
/// real one does. Writes are compare-and-set; no record comes to the same state twice, so its value
/// stands for its revision.
struct World: Hashable {
    /// What controllers read and write.
    struct Store: Hashable {
        var campaign: Campaign
        var records: [DeviceRecord]
    }

    /// What a gateway believes of a device that it pushes to.
    struct Push: Hashable {
        let turn: Turn
        /// What has become of it, if it is over and not yet reported.
        var result: Report.News?
    }

    /// What a controller wants to write, and what it has decided from.
    private enum Write {
        case campaign(Campaign)
        case record(Int, DeviceRecord)
    }

    /// The fleet, and how far it is followed.
    struct Bounds: Hashable {
        /// What may become of a push: the image is good for all devices, for none, or for some.
        var results: [Report.News]
        var deviceCount: Int
        var gatewayCount = 1
        var attempts: UInt8 = 1
        /// The leases that a device is given, so that there are finitely many worlds.
        var turnMax: UInt32
        /// Whether a device may come to the version by other means, as long as it has no job.
        var updatesOtherwise = false
        /// Whether a second controller decides from what it read at any time before.
        var hasOldController = false
    }

    let bounds: Bounds
    var store: Store
    /// What the second controller knows.
    private var old: Store?
    /// By device, the gateway of each turn.
    private var lessees: [[Int]]
    /// By gateway, then by device.
    private var pushes: [[Push?]]
    private var reports: [[Report?]]

    // What no program knows, and the test checks.
    /// The devices to which anyone has begun to push.
    private(set) var touched: Set<Int> = []
    /// By device, what its first outcome was, and how many there were.
    private(set) var outcomes: [Job.Outcome?]
    private(set) var endings: [Int]

    /// The devices that the campaign is done with: updated, failed, or not in need of it.
    var doneCount: Int {
        store.records.count { record in
            record.job.map { $0.outcome != nil } ?? (record.version == Sample.new)
        }
    }

    /// Whether only gateways that begin with old orders have anything left to do.
    var isAtRest: Bool { writes(store).isEmpty }

    init(_ bounds: Bounds) {
        self.bounds = bounds
        let plan = Sample.plan(
            stages: [3_300, 10_000],
            failuresAllowed: 0,
            attempts: bounds.attempts,
            pause: 0
        )
        var campaign = Campaign(plan)
        campaign.handle(.start(Sample.count(bounds.deviceCount)))
        let devices = 0..<bounds.deviceCount
        store = Store(campaign: campaign, records: devices.map { Sample.device($0) })
        lessees = devices.map { _ in [] }
        let gateways = 0..<bounds.gatewayCount
        pushes = gateways.map { _ in devices.map { _ in nil } }
        reports = gateways.map { _ in devices.map { _ in nil } }
        outcomes = devices.map { _ in nil }
        endings = devices.map { _ in 0 }
    }

    static func counts(_ store: Store) -> Tally.Counts {
        var tally = Tally(of: store.campaign.plan)
        for record in store.records { tally.see(record, at: 1) }
        return tally.counts
    }

    /// Every report by a gateway that doesn't have the device for the turn that it names.
    var foreignReports: [(device: Int, gateway: Int, report: Report)] {
        store.records.indices.flatMap { device in
            (0..<2).flatMap { gateway in
                (0...bounds.turnMax + 1).compactMap { number in
                    let turn = Turn(number)
                    let lease = Lease(to: Sample.gateways[gateway], turn)
                    guard store.records[device].lease != lease else { return nil }
                    let report = Report(campaign: Sample.spring, turn: turn, .succeeded)
                    return (device, gateway, report)
                }
            }
        }
    }

    // MARK: - What happens

    /// Every world that can come next.
    var next: [World] {
        var worlds = writes(store).map { write in after { $0.apply(write, isOld: false) } }
        if bounds.hasOldController {
            worlds.append(after { $0.old = store })
            worlds += (old.map(writes) ?? []).map { write in
                after { $0.apply(write, isOld: true) }
            }
        }
        if bounds.updatesOtherwise {
            for device in store.records.indices where store.records[device].job == nil {
                worlds.append(after { $0.store.records[device].version = Sample.new })
            }
        }
        for gateway in pushes.indices {
            for device in store.records.indices {
                worlds += gatewayEvents(gateway, device)
            }
        }
        return worlds.filter { $0 != self }
    }

    private func after(_ change: (inout World) -> Void) -> World {
        var world = self
        change(&world)
        return world
    }

    /// Everything that a controller may write that knows `view`, and sees the last reports.
    private func writes(_ view: Store) -> [Write] {
        var campaign = view.campaign
        let counts = Self.counts(view)
        campaign.handle(.counted(counts))
        var writes: [Write] = campaign == view.campaign ? [] : [.campaign(campaign)]
        var due = campaign.phase.devicesDue(counts, of: campaign.plan, at: Sample.start).number
        for (device, record) in view.records.enumerated() {
            var changed: [DeviceRecord] = []
            var given = record
            if record.job == nil, due > 0, given.assign(campaign.plan.id, at: Sample.start) {
                due -= 1
                changed.append(given)
            }
            for gateway in pushes.indices {
                var lent = record
                if record.turn.number < bounds.turnMax, campaign.phase.letsDevicesTry,
                    lent.lend(
                        to: Sample.gateways[gateway],
                        at: Sample.start,
                        campaign.plan.retries
                    )
                {
                    changed.append(lent)
                }
                guard let report = reports[gateway][device] else { continue }
                var told = record
                told.take(
                    report,
                    by: Sample.gateways[gateway],
                    at: Sample.start,
                    for: campaign.plan
                )
                changed.append(told)
            }
            var silent = record
            silent.endLease()
            changed.append(silent)
            writes += changed.filter { $0 != record }.map { .record(device, $0) }
        }
        return writes
    }

    /// Writes on condition that what the controller knew is still so; if not, it reads what is.
    private mutating func apply(_ write: Write, isOld: Bool) {
        let view = isOld ? old ?? store : store
        switch write {
        case .campaign(let campaign):
            if store.campaign == view.campaign { store.campaign = campaign }
            if isOld { old?.campaign = store.campaign }
        case .record(let device, let record):
            if store.records[device] == view.records[device] { set(device, to: record) }
            if isOld { old?.records[device] = store.records[device] }
        }
    }

    private mutating func set(_ device: Int, to record: DeviceRecord) {
        let before = store.records[device]
        store.records[device] = record
        if record.turn > before.turn, let gateway = record.lease?.gateway {
            lessees[device].append(Sample.gateways.firstIndex(of: gateway)!)
        }
        guard let outcome = record.job?.outcome, before.job?.outcome != outcome else { return }
        outcomes[device] = outcomes[device] ?? outcome
        endings[device] += 1
    }

    private func gatewayEvents(_ gateway: Int, _ device: Int) -> [World] {
        guard let push = pushes[gateway][device] else {
            return lessees[device].indices.filter { lessees[device][$0] == gateway }.map { index in
                after {
                    $0.pushes[gateway][device] = Push(turn: Turn(UInt32(index + 1)))
                    $0.touched.insert(device)
                }
            }
        }
        // It dies, or is told to stop.
        var worlds = [after { $0.pushes[gateway][device] = nil }]
        if let result = push.result {
            worlds.append(
                after {
                    $0.pushes[gateway][device] = nil
                    $0.reports[gateway][device] = Report(
                        campaign: Sample.spring,
                        turn: push.turn,
                        result
                    )
                }
            )
        } else {
            worlds += bounds.results.map { result in
                after { $0.pushes[gateway][device]?.result = result }
            }
        }
        return worlds
    }
}
