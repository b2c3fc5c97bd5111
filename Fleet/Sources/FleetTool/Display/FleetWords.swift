import FleetModel

extension CampaignPhase {
    /// The phase in a word, for programs.
    var word: String {
        switch self {
        case .ready: "ready"
        case .running: "running"
        case .paused: "paused"
        case .stopped(.tooManyFailures): "tooManyFailures"
        case .stopped(.operator): "stopped"
        case .finished: "finished"
        }
    }

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

    /// The stage, from 1, and the devices that were selected; `nil` if it has none.
    var progress: (stage: Int, population: DeviceCount)? {
        switch self {
        case .running(let stage, let population), .paused(let stage, let population):
            (stage + 1, population)
        case .ready, .stopped, .finished: nil
        }
    }
}

extension DeviceRecord {
    /// The device's state in a word.
    var stateWord: String {
        if lease != nil { return "updating" }
        return switch job?.state {
        case nil: "idle"
        case .waiting: "waiting"
        case .succeeded: "updated"
        case .failed: "failed"
        }
    }

    func line(_ event: String) -> JSONObject {
        var line = JSONObject(event).with("device", id.text).with("hardware", hardware.text)
            .with("version", version.description).with("state", stateWord)
        if let group { line = line.with("group", group.text) }
        if let job { line = line.with("campaign", job.campaign.text) }
        if let lease { line = line.with("gateway", lease.gateway.text) }
        if case .failed(let why) = job?.state { line = line.with("detail", why.detail) }
        return line
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
