import BLEOTA
import BLEOTAWire

extension RunningState {
    /// The name in output.
    var text: String {
        switch self {
        case .unknown: "unknown"
        case .confirmed: "confirmed"
        case .onTrial: "on trial"
        case .installing: "installing"
        case .failed: "failed"
        }
    }
}
