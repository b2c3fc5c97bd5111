import BLEOTA
import BlueZ

extension CloseReason {
    /// Converts the reason for a disconnection that the daemon reported.
    init(_ reason: DisconnectionReason) {
        self =
            switch reason {
            // In both cases, the peer has closed the link or is gone.
            case .unknown, .remote: .remote
            case .timeout, .local, .authentication, .suspend: .failed(reason.description)
            }
    }
}
