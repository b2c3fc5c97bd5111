/// How a sender's session ended.
public enum SenderOutcome: Hashable, Sendable, BitwiseCopyable {
    /// The receiver has verified the image and made it current, and the digest prefix in RESULT is
    /// that of this image.
    case verified
    /// The receiver refused the image or failed, for this reason.
    case refused(Reason, detail: UInt64)
    /// The receiver has verified a different image: the digest prefix in RESULT is not that of this
    /// image.
    case wrongDigest(UInt64)
    /// This side gave up, for this reason: `silent`, `stalled`, `malformedAccount`,
    /// `cancelled`, `sourceFailed` or `withdrawn`.
    case aborted(Reason)

    /// The reason to send in CLOSE.
    var closeReason: Reason {
        switch self {
        // This reason confirms that RESULT was received, whatever it contained.
        case .verified, .refused: .verified
        case .wrongDigest: .imageMismatch
        case .aborted(let reason): reason
        }
    }
}
