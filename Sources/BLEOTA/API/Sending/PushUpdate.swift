/// An update from a push or a pull. A push first reports `connected`. Progress follows, with a
/// stored fraction that never decreases. The last progress reports the whole image as stored;
/// `verified` follows. A pull reports only `progress` and `verified`.
public enum PushUpdate: Sendable, Hashable, CustomStringConvertible {
    /// A link, the first or a later one, is up with this ATT_MTU.
    case connected(attMTU: Int)
    /// The receiver has stored more of the image. Sent at most ten times a second, except that
    /// completion is always reported.
    case progress(TransferProgress)
    /// The link was lost, or the receiver is serving another peer, as the error states. The
    /// transfer connects again and resumes.
    case reconnecting(TransferError)
    /// Something that a user should know, as a short sentence without a final period. Only
    /// protocols of other vendors send it, for example when the device already has the image.
    case notice(String)
    /// The receiver has verified the image and made it current. This is the last update unless
    /// the push also waits for a confirmation (``PushOptions/confirmationLimit``).
    case verified(TransferReport)
    /// The image that the device reports as running. Sent for the first report and for each
    /// change, and only while the push waits for a confirmation.
    case running(RunningImage)
    /// The device runs the image and keeps it. The last update of a push that waits for a
    /// confirmation.
    case confirmed(TransferReport)

    /// One short line, such as `131072 of 262144 bytes, 201649 bytes per second`.
    public var description: String {
        switch self {
        case .connected(let attMTU): "connected, ATT_MTU \(attMTU)"
        case .progress(let progress): "\(progress)"
        case .reconnecting(let error): "reconnecting: \(error)"
        case .notice(let sentence): sentence
        case .verified(let report): "verified: \(report)"
        case .running(let image): "the device runs \(image)"
        case .confirmed(let report): "confirmed: \(report)"
        }
    }
}
