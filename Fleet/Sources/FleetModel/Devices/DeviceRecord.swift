/// What the fleet knows of a device.
package struct DeviceRecord: Sendable, Hashable {
    /// The gateways that are remembered: a device is heard by a few, and moves to another only if
    /// that one hears it better.
    package static let sightingsMax = 8

    package let id: DeviceID
    package let hardware: HardwareName
    package var group: GroupName?
    /// What it runs.
    package var version: FirmwareVersion
    /// The last sighting by each gateway, the latest first.
    package private(set) var sightings: [Sighting] = []
    /// The last job, also after its end.
    package private(set) var job: Job?

    package init(
        id: DeviceID,
        hardware: HardwareName,
        group: GroupName? = nil,
        version: FirmwareVersion
    ) {
        self.id = id
        self.hardware = hardware
        self.group = group
        self.version = version
    }

    /// Takes over what was stored; `nil` if there are too many sightings, two by one gateway, or
    /// some in the wrong order.
    init?(_ record: DeviceRecord, sightings: [Sighting], job: Job?) {
        guard sightings.count <= Self.sightingsMax,
            Set(sightings.map(\.gateway)).count == sightings.count,
            zip(sightings, sightings.dropFirst()).allSatisfy({ $0.moment >= $1.moment })
        else { return nil }
        self = record
        self.sightings = sightings
        self.job = job
    }

    /// Remembers a sighting, unless a later one by the same gateway is known.
    package mutating func see(_ sighting: Sighting) {
        if let known = sightings.first(where: { $0.gateway == sighting.gateway }) {
            guard known.moment < sighting.moment else { return }
        }
        sightings.removeAll { $0.gateway == sighting.gateway }
        let place = sightings.firstIndex { $0.moment <= sighting.moment } ?? sightings.endIndex
        sightings.insert(sighting, at: place)
        if sightings.count > Self.sightingsMax { sightings.removeLast() }
    }

    /// Gives the device a job, unless it has one that hasn't ended, or had one of this campaign.
    ///
    /// - Returns: whether it was given.
    package mutating func assign(_ campaign: CampaignID, at now: Moment) -> Bool {
        if let job, job.outcome == nil || job.campaign == campaign { return false }
        job = Job(for: campaign, at: now)
        return true
    }

    /// Takes in what became of an attempt. What is said of another campaign's job is ignored.
    package mutating func report(_ input: Job.Input, for plan: CampaignPlan) {
        guard job?.campaign == plan.id else { return }
        job?.handle(input, plan.retries)
        if job?.outcome == .succeeded { version = plan.version }
    }
}
