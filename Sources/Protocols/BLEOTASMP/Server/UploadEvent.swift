package import BLEOTA

/// An event at a server.
package enum UploadEvent: Sendable {
    /// An upload begins, or continues from this byte on.
    case started(byteCount: Int, resumedFromByte: Int)
    /// More of the upload has been stored. Sent at most ten times a second.
    case progress(TransferProgress)
    /// The image is verified, and waits for a restart.
    case staged(Manifest)
    /// The client has asked that the image with this hash become current; without a hash, that the
    /// running image remain.
    case marked(hash: [UInt8]?, isForGood: Bool)
    /// The image is current.
    case stored(StoredImage, isOnTrial: Bool)
    /// The client sent the image that is current already.
    case alreadyCurrent(StoredImage)
    /// The upload ended without an image, or the store failed.
    case ended(TransferError)
}
