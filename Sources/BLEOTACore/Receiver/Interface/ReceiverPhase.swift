/// The state of a receiver, as a value that can be compared.
public enum ReceiverPhase: Hashable, Sendable, BitwiseCopyable {
    /// The receiver is listening.
    case idle
    /// REQUEST has been sent.
    case requesting
    /// The store is looking up the part of the transfer that it holds.
    case lookingUp
    /// Chunks of this object are arriving.
    case receiving(ObjectID)
    /// The store is judging the manifest.
    case judging
    /// The store is hashing the image and making it current.
    case verifying
    /// The session is over, and RESULT is kept for a sender that has not received it.
    case finished(Reason)
}
