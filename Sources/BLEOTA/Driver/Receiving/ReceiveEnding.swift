import BLEOTACore
import BLEOTAWire

/// Why a ``ReceiveDriver`` returned.
enum ReceiveEnding: Sendable {
    /// The session is over, or the driver gave up. If a RESULT was due, it was sent.
    case session(SessionEnding, StoreError?)
    /// The peer requests an object. The datagrams after its REQUEST are not yet processed.
    case requested(ReceiverControl.Request, rest: [Datagram])
    /// The link is gone.
    case link(TransportError, StoreError?)
}

/// How a receiver's session ended: the reason and detail of its RESULT, if it sent one.
struct SessionEnding: Sendable {
    let reason: Reason
    var detail: UInt64 = 0
    /// Whether this side stopped the session because its task was cancelled.
    var isCancelledHere = false
}

/// The condition under which a ``ReceiveDriver`` returns.
enum ReceiveScope: Sendable {
    /// After one session, however it ends.
    case oneSession
    /// When the link ends, or when the peer requests an object.
    case link
}
