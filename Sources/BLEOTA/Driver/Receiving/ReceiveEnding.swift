import BLEOTACore
import BLEOTAWire

/// Why a ``ReceiveDriver`` returned.
enum ReceiveEnding: Sendable {
    /// The session it was to run is over, for this reason, and the sender knows or never will.
    case session(SessionEnding, StoreError?)
    /// The peer asks for an object; what came after its REQUEST is still to be taken in.
    case requested(ReceiverControl.Request, rest: [Datagram])
    /// The link is gone.
    case link(TransportError, StoreError?)
}

/// How a receiver's session ended: as its RESULT says, where it sent one.
struct SessionEnding: Sendable {
    let reason: Reason
    var detail: UInt64 = 0
}

/// When a ``ReceiveDriver`` returns.
enum ReceiveScope: Sendable {
    /// After one session, whatever its end.
    case oneSession
    /// Only when the link ends, or the peer asks for something.
    case link
}
