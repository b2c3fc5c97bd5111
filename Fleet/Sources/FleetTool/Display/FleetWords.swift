import FleetModel
import FleetText

extension CampaignPhase {
    /// The phase for people.
    var words: String {
        switch self {
        case .ready: "ready"
        case .running(let stage, _): "running, stage \(stage + 1)"
        case .paused(let stage, _): "paused, stage \(stage + 1)"
        case .stopped(.tooManyFailures): "stopped: too many failures"
        case .stopped(.operator): "stopped"
        case .finished: "finished"
        }
    }
}

extension CampaignWait {
    /// What is waited for, within 69 columns.
    var words: String {
        switch self {
        case .window(let opening): "for \(DayWindow.clock(opening)) UTC, when its window opens"
        case .devices(let count):
            "for \(count.number) devices in another campaign, or heard by no free gateway"
        }
    }
}

extension DeviceRecord {
    /// Whether the device has proved its last update; `nil` if it wasn't updated.
    var isProved: Bool? { job?.state == .succeeded ? job?.isSigned : nil }

    /// The state of its job, if this isn't what it was before.
    func newOutcome(after old: DeviceRecord?) -> Job.State? {
        job == old?.job ? nil : job?.state
    }

    func line(_ event: String) -> JSONObject {
        var line = JSONObject(event).with("device", id.text).with("hardware", hardware.text)
            .with("version", version.description).with("state", DeviceState(self).rawValue)
        if let group { line = line.with("group", group.text) }
        if let job { line = line.with("campaign", job.campaign.text) }
        if let isProved { line = line.with("signed", isProved) }
        if let key { line = line.with("key", key.hexadecimal) }
        if let lease { line = line.with("gateway", lease.gateway.text) }
        if case .waiting(let attempt, _, _) = job?.state {
            line = line.with("attempt", UInt64(attempt))
        }
        if let why = job?.lastFailure { line = line.with("detail", why.detail) }
        return line
    }
}

extension JSONObject {
    /// The kind of a failure and its reason in words, if there is one.
    func with(_ why: Failure?) -> JSONObject {
        why.map { with("kind", $0.kind.word).with("detail", $0.detail) } ?? self
    }
}

/// Columns of text within the width of a terminal.
enum Table {
    /// A text cut or filled to a width, so that columns stay where they are.
    static func cell(_ text: String, _ width: Int) -> String {
        let kept = text.count > width ? text.prefix(width - 1) + "…" : text[...]
        return kept + String(repeating: " ", count: width - kept.count)
    }

    /// A number at the right of its column.
    static func right(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }

    /// A line of cells. The last may be as long as it likes.
    static func line(_ cells: [(text: String, width: Int)], _ last: String) -> String {
        cells.map { cell($0.text, $0.width) }.joined(separator: " ") + " " + last
    }
}
