import DequeModule
import FleetModel

/// What a planner knows of a campaign. Also one that nobody knows any more may be the last of many
/// devices.
struct CampaignEntry: Sendable {
    var known: Known<Campaign>?
    /// The devices whose last job is the campaign's, and those that it may still give one, which
    /// are counted only while ``isCounting``.
    var counts = Tally.Counts()
    /// How far it is as it is stored; `nil` inside for what can't be read.
    var progress: Known<Progress?>?
    /// When this planner last had it written.
    var progressWritten: Uptime?
    /// By gateway, the devices that may get a job. An entry may be out of date.
    var queues: [GatewayNumber: Deque<DeviceNumber>] = [:]
    /// The jobs that are being written.
    var givingCount = 0
    /// Whether it had jobs to give when that was last decided.
    var wasGiving = false
    /// Whether it is over, no gateway has a device of it any more, and its last counts are stored.
    var isSettled = false

    var isRunning: Bool { known?.value.phase.letsDevicesTry ?? false }

    /// Whether devices of it may take part in another: also if it is unknown.
    var letsDevicesGo: Bool { known == nil || isSettled }

    /// Whether it has begun and isn't over.
    var isCounting: Bool {
        switch known?.value.phase {
        case .running, .paused: true
        case .ready, .stopped, .finished, nil: false
        }
    }
}

/// What a planner knows of a gateway.
struct GatewayEntry: Sendable {
    /// `nil` if it never said anything.
    var status: (places: UInt8, heard: Uptime)?
    /// The devices that it has, and that are being lent to it.
    var leaseCount = 0
    var lendingCount = 0
    /// The devices that wait for another attempt. An entry may be out of date.
    var retries = Deque<DeviceNumber>()

    func hasPlace(at now: Uptime, silenceMax: Span) -> Bool {
        guard let status, now < status.heard + silenceMax else { return false }
        return leaseCount + lendingCount < status.places
    }
}
