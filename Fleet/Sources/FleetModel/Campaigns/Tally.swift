/// Counts what has become of a campaign's devices, each once.
///
/// It is made from the devices' records alone, so that a controller that takes over counts the
/// same, and a record that is seen twice, or after a newer one, changes nothing.
package struct Tally: Sendable, Hashable {
    package struct Counts: Sendable, Hashable {
        /// Devices that were given a job, whatever has become of it.
        package var given = DeviceCount.zero
        package var succeeded = DeviceCount.zero
        package var failed = DeviceCount.zero

        package init() {}

        /// Devices whose job has ended.
        package var ended: DeviceCount {
            DeviceCount(unchecked: succeeded.number + failed.number)
        }
    }

    private struct Seen: Hashable {
        let revision: UInt64
        let outcome: Job.Outcome?
    }

    package let campaign: CampaignID
    private var devices: [DeviceID: Seen] = [:]
    package private(set) var counts = Counts()

    package init(of campaign: CampaignID) { self.campaign = campaign }

    /// Sees a device's record at a revision. A device without a job of this campaign isn't counted.
    package mutating func see(_ device: DeviceRecord, at revision: UInt64) {
        guard let job = device.job, job.campaign == campaign else { return }
        let old = devices[device.id]
        if let old, old.revision >= revision { return }
        devices[device.id] = Seen(revision: revision, outcome: job.outcome)
        if old == nil { counts.given.increment() }
        guard old?.outcome == nil else { return }
        switch job.outcome {
        case .succeeded: counts.succeeded.increment()
        case .failed: counts.failed.increment()
        case nil: break
        }
    }
}

extension Tally.Counts {
    /// Counts a device whose last job was `old`, and is `new`, of which those of other campaigns
    /// are left out. Whoever keeps the records doesn't need a ``Tally`` beside them.
    package mutating func move(from old: Job?, to new: Job?) {
        if old != nil { add(old?.outcome, -1) }
        if new != nil { add(new?.outcome, 1) }
    }

    private mutating func add(_ outcome: Job.Outcome?, _ number: Int) {
        given.add(number)
        switch outcome {
        case .succeeded: succeeded.add(number)
        case .failed: failed.add(number)
        case nil: break
        }
    }
}

extension DeviceCount {
    fileprivate mutating func increment() { add(1) }

    fileprivate mutating func add(_ count: Int) { self = DeviceCount(unchecked: number + count) }
}
