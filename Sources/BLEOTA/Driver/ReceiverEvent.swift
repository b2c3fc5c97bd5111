import BLEOTACore

/// What a receiver tells the application.
public enum ReceiverEvent: Sendable {
    /// The manifest is accepted, and the image arrives from this byte on.
    case started(Manifest, resumedFromByte: Int)
    /// More is durable.
    case progress(TransferProgress)
    /// The image is verified and current.
    case stored(StoredImage)
    /// The sender offered what is current already.
    case alreadyCurrent(StoredImage)
    /// The session ended without a verified image.
    case ended(TransferError)
    /// An offered image was sent to the peer, who verified it.
    case served(name: String, TransferReport)
    /// An offered image was asked for, and the session ended without success.
    case servingEnded(name: String, TransferError)
}
