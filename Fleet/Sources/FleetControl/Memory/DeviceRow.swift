import FleetModel

/// What campaigns select devices by.
struct DeviceKind: Sendable, Hashable {
    let hardware: HardwareName
    let group: GroupName?
    let version: FirmwareVersion

    init(hardware: HardwareName, group: GroupName?, version: FirmwareVersion) {
        self.hardware = hardware
        self.group = group
        self.version = version
    }

    init(_ record: DeviceRecord) {
        self.init(hardware: record.hardware, group: record.group, version: record.version)
    }

    init(_ sighting: Sighting) {
        self.init(
            hardware: sighting.hardware,
            group: sighting.group,
            version: sighting.version
        )
    }
}

/// A device in 64 bytes: numbers stand for everything that others have as well.
struct DeviceRow: Sendable {
    enum JobState: UInt8, Sendable {
        case none, waiting, succeeded, failed
    }

    /// The revision of the record; 0 if there is none.
    var revision: UInt64 = 0
    /// When the next attempt may begin, in milliseconds.
    var notBefore: UInt64 = 0
    /// When the device is looked at for its next attempt, in milliseconds; 0 if it isn't, and
    /// ``soon`` if that is with the next decision.
    var alarm: UInt64 = 0
    static let soon = UInt64.max
    /// Hardware, group and version of the record; 0 without one.
    var kind: UInt32 = 0
    /// What a gateway heard that may not be in the record; 0 for nothing.
    var heardKind: UInt32 = 0
    /// One more than the number of the job's campaign, and of the gateway that has the device; 0
    /// for none.
    private var campaignPlusOne: UInt32 = 0
    private var lesseePlusOne: UInt32 = 0
    var turn: UInt32 = 0
    /// Why the last attempt failed; 0 if none has.
    var failure: UInt32 = 0
    /// When the record was stored, in seconds since 1970 by the server's clock; the last one that
    /// there is if that isn't known.
    var storedSeconds = UInt32.max
    /// Where its gateways begin in the ``EarTable``.
    var ears = EarTable.none
    var jobState = JobState.none
    var attempt: UInt8 = 0
    /// Whether it is in the queue of devices whose orders are compared with their records.
    var isUnsettled = false
    /// Whether the device has signed that its job succeeded.
    var isSigned = false

    var hasRecord: Bool { revision != 0 }

    var campaign: CampaignNumber? {
        get { campaignPlusOne == 0 ? nil : CampaignNumber(campaignPlusOne - 1) }
        set { campaignPlusOne = newValue.map { $0.value + 1 } ?? 0 }
    }

    var lessee: GatewayNumber? {
        get { lesseePlusOne == 0 ? nil : GatewayNumber(lesseePlusOne - 1) }
        set { lesseePlusOne = newValue.map { $0.value + 1 } ?? 0 }
    }

    /// Whether it is between two attempts.
    var isWaiting: Bool { jobState == .waiting && lesseePlusOne == 0 }

    /// Whether it has a job that hasn't ended.
    var isBusy: Bool { jobState == .waiting }

    /// What it is to the campaign of its job.
    var part: Tally.Part {
        switch jobState {
        case .none: .none
        case .waiting: .waiting
        case .succeeded: .succeeded
        case .failed: .failed
        }
    }
}
