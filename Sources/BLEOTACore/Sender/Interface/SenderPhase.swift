/// The state of a sender, as a value that can be compared.
public enum SenderPhase: Hashable, Sendable, BitwiseCopyable {
    /// OPEN has been sent, and no ACK has arrived yet.
    case opening
    /// Chunks of this object are being sent.
    case streaming(ObjectID)
    /// All chunks of this object are acknowledged, and the receiver is judging or verifying it.
    case awaitingResult(ObjectID)
    /// Echo probes are determining which frame lengths the link carries.
    case discoveringSize
    /// The session is over.
    case ended(SenderOutcome)
}
