/// What a push reports, in this order: connected, progress that never falls, and at the end
/// verified, after progress that says that all is stored.
public enum PushUpdate: Sendable, Hashable, CustomStringConvertible {
    /// A link is made, the first or another one, and carries so much.
    case connected(attMTU: Int)
    /// The receiver has stored more. At most ten times a second, and always when all is stored.
    case progress(TransferProgress)
    /// The link was lost for this reason and is made again.
    case reconnecting(TransferError)
    /// The receiver has verified the image and made it current. The last update, unless the push
    /// also waits for ``PushOptions/confirmationLimit``.
    case verified(TransferReport)
    /// What the device says that it runs, at first and when that changes; only while the push waits
    /// for a confirmation.
    case running(RunningImage)
    /// The device runs the image and keeps it. The last update where it was waited for.
    case confirmed(TransferReport)

    /// One short line, such as `131,072 of 262,144 bytes`.
    public var description: String {
        switch self {
        case .connected(let attMTU): "connected, ATT_MTU \(attMTU)"
        case .progress(let progress): "\(progress)"
        case .reconnecting(let error): "reconnecting: \(error)"
        case .verified(let report): "verified: \(report)"
        case .running(let image): "the device runs: \(image)"
        case .confirmed(let report): "confirmed: \(report)"
        }
    }
}
