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
        /// Devices that may still be given one.
        package var eligible = DeviceCount.zero

        package init() {}

        /// Devices whose job has ended.
        package var ended: DeviceCount {
            DeviceCount(unchecked: succeeded.number + failed.number)
        }

        /// Devices that have a job or may be given one. There are fewer than were selected when
        /// devices came to the version by other means, or are gone; nobody waits for those.
        package var reachable: DeviceCount {
            DeviceCount(unchecked: given.number + eligible.number)
        }
    }

    /// What a device is to a campaign.
    package enum Part: UInt8, Sendable, Hashable {
        case none
        case eligible
        case waiting
        case succeeded
        case failed

        package init(of device: DeviceRecord, in plan: CampaignPlan) {
            guard let job = device.job, job.campaign == plan.id else {
                self = plan.awaits(device) ? .eligible : .none
                return
            }
            self =
                switch job.outcome {
                case .succeeded: .succeeded
                case .failed: .failed
                case nil: .waiting
                }
        }
    }

    private struct Seen: Hashable {
        let revision: UInt64
        let part: Part
    }

    private let plan: CampaignPlan
    private var devices: [DeviceID: Seen] = [:]
    package private(set) var counts = Counts()

    package init(of plan: CampaignPlan) { self.plan = plan }

    /// Sees a device's record at a revision.
    package mutating func see(_ device: DeviceRecord, at revision: UInt64) {
        let old = devices[device.id]
        if let old, old.revision >= revision { return }
        let part = Part(of: device, in: plan)
        devices[device.id] = Seen(revision: revision, part: part)
        counts.move(from: old?.part ?? .none, to: part)
    }
}

extension Tally.Counts {
    /// Counts a device that was one thing to the campaign, and is another. Whoever keeps the
    /// records doesn't need a ``Tally`` beside them.
    package mutating func move(from old: Tally.Part, to new: Tally.Part) {
        guard old != new else { return }
        add(old, -1)
        add(new, 1)
    }

    private mutating func add(_ part: Tally.Part, _ number: Int) {
        switch part {
        case .none: return
        case .eligible: return eligible.add(number)
        case .waiting: break
        case .succeeded: succeeded.add(number)
        case .failed: failed.add(number)
        }
        given.add(number)
    }
}

extension DeviceCount {
    fileprivate mutating func add(_ count: Int) { self = DeviceCount(unchecked: number + count) }
}
