import FleetControl
import FleetModel
import FleetStore
import FleetTestSupport
import NATS

/// What happens to a fleet, by a seed, and what its planner is told of it.
extension ToyFleet {
    private static let devices = (1...6).map { DeviceID("lamp-\($0)")! }
    private static let gatewayNames = ["east", "west", "north"].map { GatewayID($0)! }
    private static let campaignNames = ["spring", "autumn"].map { CampaignID($0)! }
    private static let signers = Dictionary(
        uniqueKeysWithValues: devices.map { ($0, SignedDevice()) }
    )
    private static let versions = [FirmwareVersion(1, 0, 0), Sample.new, FirmwareVersion(3, 0, 0)]

    mutating func happen(_ planner: inout Planner, _ dice: inout Dice) {
        switch Int.random(in: 0..<100, using: &dice) {
        case 0..<12: passTime(&dice)
        case 12..<24: saySomething(&planner, &dice)
        case 24..<40: hear(&planner, &dice)
        case 40..<43: hearNoLonger(&planner, &dice)
        case 43..<63: report(&planner, &dice)
        case 63..<75: steer(&planner, &dice)
        case 75..<77: deleteRecord(&planner, &dice)
        case 77..<79: planner.forgiveSilence(at: now); forgive()
        case 79: enrol(&planner, &dice)
        default:
            if !flights.isEmpty {
                end(Int.random(in: flights.indices, using: &dice), &planner, &dice)
            }
        }
    }

    private mutating func passTime(_ dice: inout Dice) {
        let spans: [UInt32] = [10, 500, 1_000, 20_000, 46_000, 61_000]
        now = now + Span(milliseconds: spans.randomElement(using: &dice)!)
        // The clock of the wall is set now and then.
        let jumps: [UInt32] = [0, 500, 1_000, 61_000, 3_600_000]
        let jump = Span(milliseconds: jumps.randomElement(using: &dice)!)
        if Bool.random(using: &dice) {
            moment = moment + jump
        } else {
            moment = Moment(milliseconds: moment.milliseconds - jump.milliseconds / 2)!
        }
    }

    private mutating func saySomething(_ planner: inout Planner, _ dice: inout Dice) {
        let gateway = Self.gatewayNames.randomElement(using: &dice)!
        guard Int.random(in: 0..<20, using: &dice) > 0 else {
            gateways[gateway] = nil
            planner.forget(gateway)
            return
        }
        let places = UInt8.random(in: 0...3, using: &dice)
        gateways[gateway] = (Int(places), now)
        let status = GatewayStatus(places: places, program: Sample.old, beat: 1, at: moment)!
        planner.see(status, of: gateway, at: now)
    }

    private mutating func forgive() {
        for gateway in gateways.keys { gateways[gateway]?.heard = now }
        for device in leasesSeen.keys { leasesSeen[device] = now }
    }

    private mutating func hear(_ planner: inout Planner, _ dice: inout Dice) {
        let device = Self.devices.randomElement(using: &dice)!
        let gateway = Self.gatewayNames.randomElement(using: &dice)!
        let strength = Strength(dBm: Int.random(in: -90 ... -40, using: &dice))!
        let isOther = Int.random(in: 0..<10, using: &dice) == 0
        let sighting = Sighting(
            hardware: Sample.lamp,
            group: Bool.random(using: &dice) ? GroupName("hall") : nil,
            version: isOther ? Self.versions.randomElement(using: &dice)! : Sample.old,
            strength: strength,
            at: moment
        )
        ears[device, default: [:]][gateway] = strength
        heard.insert(device)
        heardAgain.insert(device)
        planner.see(sighting, DeviceAtGateway(device, at: gateway))
    }

    private mutating func hearNoLonger(_ planner: inout Planner, _ dice: inout Dice) {
        let device = Self.devices.randomElement(using: &dice)!
        let gateway = Self.gatewayNames.randomElement(using: &dice)!
        ears[device]?[gateway] = nil
        planner.forgetSighting(DeviceAtGateway(device, at: gateway))
    }

    private mutating func report(_ planner: inout Planner, _ dice: inout Dice) {
        // Of the gateway that has the device, or a lie.
        let lent = records.values.filter { $0.value.lease != nil }
            .sorted { $0.revision < $1.revision }
        guard let record = lent.randomElement(using: &dice)?.value, let lease = record.lease,
            let job = record.job
        else { return }
        let isLie = Int.random(in: 0..<6, using: &dice) == 0
        let gateway = isLie ? Self.gatewayNames.randomElement(using: &dice)! : lease.gateway
        let turn = isLie && Bool.random(using: &dice) ? Turn(lease.turn.number + 1) : lease.turn
        let signer = Self.signers[record.id]!
        let good = signer.receipt(record.nonce ?? Self.nonce)
        let forged = signer.receipt(Self.nonce, of: Sample.digest)
        let news: [Report.News] = [
            .working(storedByteCount: 1, byteCount: 2), .succeeded, .succeeded, .proved(good),
            .proved(good), .proved(forged), .returned, .failed(Failure(.refused, "no")),
            .failed(Failure(.unreachable, "away")),
        ]
        let report = Report(
            campaign: job.campaign,
            turn: turn,
            news.randomElement(using: &dice)!
        )
        if Lease(to: gateway, turn) == lease {
            leasesSeen[record.id] = now
            if case .working = report.news {
            } else {
                let evidence: Evidence =
                    switch report.news {
                    case .proved(good) where record.nonce != nil: .signed(by: signer.key)
                    case .proved: .forged
                    default: .unsigned
                    }
                endings[record.id] = Ending(gateway: gateway, report: report, evidence: evidence)
            }
        }
        planner.see(report, DeviceAtGateway(record.id, at: gateway), at: now)
    }

    private mutating func enrol(_ planner: inout Planner, _ dice: inout Dice) {
        let device = Self.devices.randomElement(using: &dice)!
        keys[device] = Self.signers[device]!.key
        planner.see(Self.signers[device]!.key, of: device)
    }

    private mutating func steer(_ planner: inout Planner, _ dice: inout Dice) {
        let id = Self.campaignNames.randomElement(using: &dice)!
        var campaign = campaigns[id]?.value ?? Self.campaign(id)
        if campaign.phase == .ready {
            campaign.handle(.start(max(DeviceCount(1)!, counts(of: campaign))))
        } else {
            let inputs: [CampaignPhase.Input] = [.pause, .pause, .resume, .resume, .resume, .stop]
            campaign.handle(inputs.randomElement(using: &dice)!)
        }
        // One that is over is deleted some day, and there may be another of its name.
        let isBusy = records.values.contains {
            $0.value.job?.campaign == id && $0.value.lease != nil
        }
        if campaigns[id]?.value.phase.isOver == true, !isBusy, flights.isEmpty {
            campaigns[id] = nil
            planner.forget(id)
            return
        }
        guard campaign != campaigns[id]?.value else { return }
        let revision = nextRevision()
        campaigns[id] = Stored(value: campaign, revision: revision)
        planner.see(campaign, revision)
    }

    private func counts(of campaign: Campaign) -> DeviceCount {
        DeviceCount(records.values.count { campaign.plan.awaits($0.value) })!
    }

    private static func campaign(_ id: CampaignID) -> Campaign {
        let plan = CampaignPlan(
            id: id,
            image: Sample.digest,
            content: Sample.content,
            version: id == campaignNames[0] ? Sample.new : versions[2],
            selection: Selection(
                hardware: Sample.lamp,
                group: id == campaignNames[0] ? nil : GroupName("hall")
            ),
            stages: StagePlan([3_000, 10_000].map { Share(basisPoints: $0)! })!,
            failuresAllowed: Share(basisPoints: 5_000)!,
            window: nil,
            retries: RetryPolicy(
                attemptCount: 2,
                firstPause: .seconds(1),
                longestPause: .seconds(60)
            )!,
            receipts: id == campaignNames[0] ? .optional : .enrolling
        )
        return Campaign(plan)
    }

    private mutating func deleteRecord(_ planner: inout Planner, _ dice: inout Dice) {
        guard let device = records.keys.sorted().randomElement(using: &dice) else { return }
        forgetRecord(device)
        heardAgain.remove(device)
        planner.forget(device)
    }

    private mutating func forgetRecord(_ device: DeviceID) {
        records[device] = nil
        endings[device] = nil
        leasesSeen[device] = nil
        avoided[device] = nil
    }

    // MARK: - Writes

    /// Notes what the planner does beside its writes.
    mutating func begin(_ write: Write) {
        if case .record(let new, _) = write, let lease = records[new.id]?.value.lease {
            switch reason(for: write) {
            case "silence": avoided[new.id] = lease.gateway
            case "ending" where !hasProof(new.id): avoided[new.id] = lease.gateway
            default: break
            }
        }
        switch write {
        case .audit, .feed: break
        case .record, .campaign, .progress, .order, .withdrawal: flights.append(write)
        }
    }

    /// Whether the report of a device's end needs no receipt, or has it.
    private func hasProof(_ device: DeviceID) -> Bool {
        guard records[device]?.value.nonce != nil, let ending = endings[device],
            ending.report.news.isSuccess
        else { return true }
        if case .signed = ending.evidence { return true }
        return false
    }

    /// A write is over: it is done, or another came first.
    mutating func end(_ index: Int, _ planner: inout Planner, _ dice: inout Dice) {
        let write = flights.remove(at: index)
        let isLost = Int.random(in: 0..<8, using: &dice) == 0
        carryOut(write, isLost: isLost, &planner)
        planner.end(write)
    }

    private mutating func carryOut(_ write: Write, isLost: Bool, _ planner: inout Planner) {
        switch write {
        case .record(let new, let last):
            // A first write fails only if there is a record.
            if !isLost || last == nil, records[new.id]?.revision == last { set(new) }
            if let stored = records[new.id] { planner.see(stored.value, stored.revision, at: now) }
        case .campaign(let new, let last):
            if !isLost, campaigns[new.plan.id]?.revision == last {
                campaigns[new.plan.id] = Stored(value: new, revision: nextRevision())
            }
            if let stored = campaigns[new.plan.id] { planner.see(stored.value, stored.revision) }
        case .progress(let id, let new, let last):
            if !isLost, progress[id]?.revision == last {
                progress[id] = Stored(value: new, revision: nextRevision())
            }
            if let stored = progress[id] { planner.see(stored.value, of: id, stored.revision) }
        case .order(let name, let order, let last):
            if !isLost, orders[name]?.revision == last {
                orders[name] = Stored(value: order, revision: nextRevision())
            }
            if let stored = orders[name] { planner.see(stored.value, name, stored.revision) }
        case .withdrawal(let name, let last):
            guard !isLost else { return }
            orders[name] = nil
            planner.forgetOrder(name, upTo: last)
        case .audit, .feed: break
        }
    }

    private mutating func set(_ new: DeviceRecord) {
        let old = records[new.id]?.value
        records[new.id] = Stored(value: new, revision: nextRevision())
        if old?.lease != new.lease {
            leasesSeen[new.id] = new.lease == nil ? nil : now
            endings[new.id] = nil
        }
        if new.job?.outcome != nil || new.job == nil { avoided[new.id] = nil }
    }
}

/// The same numbers for the same seed.
struct Dice: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
