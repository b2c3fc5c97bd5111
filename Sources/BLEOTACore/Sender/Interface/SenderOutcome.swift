/// How a sender's session ended.
public enum SenderOutcome: Hashable, Sendable, BitwiseCopyable {
    /// The receiver verified the image and made it current, and its digest agrees.
    case verified
    /// The receiver refused or failed, for this reason.
    case refused(Reason, detail: UInt64)
    /// The receiver claims to have verified another image: its digest is not this image's.
    case wrongDigest(UInt64)
    /// This side gave up, for this reason: `silent`, `stalled`, `malformedAccount`, `cancelled`,
    /// `sourceFailed`, `withdrawn`.
    case aborted(Reason)

    /// The reason that CLOSE carries.
    var closeReason: Reason {
        switch self {
        // RESULT was seen, whatever it said.
        case .verified, .refused: .verified
        case .wrongDigest: .imageMismatch
        case .aborted(let reason): reason
        }
    }
}
