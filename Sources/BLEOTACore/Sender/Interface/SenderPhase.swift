/// The state a sender is in, as a value to compare.
public enum SenderPhase: Hashable, Sendable, BitwiseCopyable {
    /// OPEN is out; no ACK has arrived.
    case opening
    /// Chunks of this object are sent.
    case streaming(ObjectID)
    /// All chunks of this object are acknowledged; the receiver judges or verifies it.
    case awaitingResult(ObjectID)
    /// Echo probes find out what the link carries.
    case discoveringSize
    /// The session is over.
    case ended(SenderOutcome)
}
