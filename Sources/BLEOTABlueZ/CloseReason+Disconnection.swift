import BLEOTA
import BlueZ

extension CloseReason {
    /// The end of a link that the daemon says is down.
    init(_ reason: DisconnectionReason) {
        self =
            switch reason {
            // "The peer closed it, or is gone" is all that is known then.
            case .unknown, .remote: .remote
            case .timeout, .local, .authentication, .suspend: .failed(reason.description)
            }
    }
}
