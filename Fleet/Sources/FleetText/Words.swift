package import FleetModel

// The words by which programs know what the model tells apart: in the tool's lines, in the
// console's data, and in the labels of metrics.

extension CampaignPhase {
    package var word: String {
        switch self {
        case .ready: "ready"
        case .running: "running"
        case .paused: "paused"
        case .stopped(.tooManyFailures): "tooManyFailures"
        case .stopped(.operator): "stopped"
        case .finished: "finished"
        }
    }
}

extension CampaignWait {
    package var word: String {
        switch self {
        case .window: "window"
        case .devices: "devices"
        }
    }
}

extension Failure.Kind {
    package var word: String {
        switch self {
        case .refused: "refused"
        case .unreachable: "unreachable"
        case .gateway: "gateway"
        case .rejected: "rejected"
        }
    }
}
