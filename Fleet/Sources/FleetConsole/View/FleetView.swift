package import FleetModel
package import FleetStore

/// The fleet as the console shows it: computed from what is in the store, and kept current by what
/// its watches see.
///
/// It has no clock and asks nobody. Counts are kept with each change, so that a page of a large
/// fleet costs what it shows, and a list one walk over the devices' names.
package struct FleetView: Sendable {
    /// The parts of the store from which it is made.
    package enum Part: CaseIterable, Sendable {
        case campaigns, progress, devices, gateways, sightings, reports
    }

    /// What one gateway heard of a device last.
    struct Heard: Sendable, Hashable {
        let strength: Strength
        let version: FirmwareVersion
        let moment: Moment
    }

    /// How much of an image is durable on a device.
    package struct Progress: Sendable, Hashable {
        package let storedByteCount: UInt64
        package let byteCount: UInt64
    }

    struct Gateway: Sendable {
        let status: GatewayStatus
        /// When its status was seen to change; `nil` if it only was there when the console began.
        var heard: Uptime?
    }

    /// The reason of failures in a campaign.
    struct Reason: Hashable, Sendable {
        let campaign: CampaignID
        let failure: Failure
    }

    private(set) var campaigns: [CampaignID: Campaign] = [:]
    /// How far the active controller has counted each campaign.
    private(set) var progress: [CampaignID: FleetModel.Progress] = [:]
    private(set) var devices: [DeviceID: DeviceRecord] = [:]
    private(set) var gateways: [GatewayID: Gateway] = [:]
    private(set) var sightings: [GatewayID: [DeviceID: Heard]] = [:]
    /// The campaigns that run and wait for something.
    private(set) var waits: [CampaignID: CampaignWait] = [:]
    private var reports: [DeviceAtGateway: (turn: Turn, progress: Progress)] = [:]

    private(set) var counts = StateCounts()
    private(set) var campaignCounts: [CampaignID: StateCounts] = [:]
    private(set) var reasons: [Reason: Int] = [:]
    /// The devices that a gateway has.
    private(set) var lent: [GatewayID: Set<DeviceID>] = [:]
    var names = NameIndex<DeviceID>()

    private var unread = Set(Part.allCases)
    /// Grows with each change of what pages show.
    package private(set) var revision: UInt64 = 0
    /// Since when the store can't be reached, so that the view is what was known then.
    package private(set) var disconnected: Moment?

    package var isConnected: Bool { disconnected == nil }

    package init() {}

    /// Whether everything that was in the store has been seen.
    package var isComplete: Bool { unread.isEmpty }

    /// Whether what was in a part of the store before hasn't all been seen.
    func isReading(_ part: Part) -> Bool { unread.contains(part) }

    // MARK: - Changes

    package mutating func see(_ campaign: Campaign) {
        guard campaigns[campaign.plan.id] != campaign else { return }
        campaigns[campaign.plan.id] = campaign
        revision += 1
    }

    package mutating func forget(_ campaign: CampaignID) {
        if campaigns.removeValue(forKey: campaign) != nil { revision += 1 }
    }

    package mutating func see(_ progress: FleetModel.Progress, of campaign: CampaignID) {
        guard self.progress.updateValue(progress, forKey: campaign) != progress else { return }
        revision += 1
    }

    package mutating func forgetProgress(of campaign: CampaignID) {
        if progress.removeValue(forKey: campaign) != nil { revision += 1 }
    }

    package mutating func see(_ device: DeviceRecord) {
        let old = devices.updateValue(device, forKey: device.id)
        guard old != device else { return }
        if old == nil { names.add(device.id) }
        count(old, -1)
        count(device, 1)
        revision += 1
    }

    package mutating func forget(_ device: DeviceID) {
        guard let old = devices.removeValue(forKey: device) else { return }
        names.remove(device)
        count(old, -1)
        revision += 1
    }

    /// - Parameter moment: when the status was seen to change; `nil` if it was there before.
    package mutating func see(_ status: GatewayStatus, of gateway: GatewayID, at moment: Uptime?) {
        gateways[gateway] = Gateway(status: status, heard: moment)
        revision += 1
    }

    package mutating func forget(_ gateway: GatewayID) {
        if gateways.removeValue(forKey: gateway) != nil { revision += 1 }
    }

    package mutating func see(_ sighting: Sighting, _ name: DeviceAtGateway) {
        sightings[name.gateway, default: [:]][name.device] = Heard(
            strength: sighting.strength,
            version: sighting.version,
            moment: sighting.moment
        )
        revision += 1
    }

    package mutating func forgetSighting(_ name: DeviceAtGateway) {
        if sightings[name.gateway]?.removeValue(forKey: name.device) != nil { revision += 1 }
    }

    /// Only progress is kept: what has become of a device is in its record.
    package mutating func see(_ report: Report, _ name: DeviceAtGateway) {
        if case .working(let stored, let whole) = report.news {
            let progress = Progress(storedByteCount: stored, byteCount: whole)
            reports[name] = (report.turn, progress)
        } else {
            reports[name] = nil
        }
        revision += 1
    }

    package mutating func forgetReport(_ name: DeviceAtGateway) {
        if reports.removeValue(forKey: name) != nil { revision += 1 }
    }

    package mutating func catchUp(_ part: Part) {
        if unread.remove(part) != nil { revision += 1 }
    }

    package mutating func connect(_ isConnected: Bool, at moment: Moment) {
        guard self.isConnected != isConnected else { return }
        disconnected = isConnected ? nil : moment
        revision += 1
    }

    /// Looks which campaigns wait for something, which time alone may change.
    package mutating func look(at moment: Moment) {
        let waits = campaigns.compactMapValues { $0.wait(progress[$0.plan.id], at: moment) }
        guard waits != self.waits else { return }
        self.waits = waits
        revision += 1
    }

    /// Forgets a part, because what is there follows anew.
    package mutating func startOver(_ part: Part) {
        unread.insert(part)
        revision += 1
        switch part {
        case .campaigns: campaigns = [:]
        case .progress: progress = [:]
        case .devices:
            (devices, counts, campaignCounts, reasons, lent) = ([:], StateCounts(), [:], [:], [:])
            names.removeAll()
        case .gateways: gateways = [:]
        case .sightings: sightings = [:]
        case .reports: reports = [:]
        }
    }

    private mutating func count(_ device: DeviceRecord?, _ number: Int) {
        guard let device else { return }
        let state = DeviceState(device)
        counts[state] += number
        if let lease = device.lease {
            if number > 0 {
                lent[lease.gateway, default: []].insert(device.id)
            } else {
                lent[lease.gateway]?.remove(device.id)
            }
        }
        guard let job = device.job else { return }
        campaignCounts[job.campaign, default: StateCounts()][state] += number
        if case .failed(let failure) = job.state {
            let reason = Reason(campaign: job.campaign, failure: failure)
            let rest = (reasons[reason] ?? 0) + number
            reasons[reason] = rest == 0 ? nil : rest
        }
    }

    // MARK: - One device

    /// How far the gateway that has a device is with it; `nil` if it has said nothing yet.
    func progress(of device: DeviceRecord) -> Progress? {
        guard let lease = device.lease,
            let report = reports[DeviceAtGateway(device.id, at: lease.gateway)],
            report.turn == lease.turn
        else { return nil }
        return report.progress
    }
}
