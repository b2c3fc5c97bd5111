/// The state a receiver is in, as a value to compare.
public enum ReceiverPhase: Hashable, Sendable, BitwiseCopyable {
    /// It listens.
    case idle
    /// REQUEST is out.
    case requesting
    /// The store looks for what is held of the transfer.
    case lookingUp
    /// Chunks of this object arrive.
    case receiving(ObjectID)
    /// The store judges the manifest.
    case judging
    /// The store hashes the image and makes it current.
    case verifying
    /// The session is over, and RESULT is kept for a sender that has not seen it.
    case finished(Reason)
}
