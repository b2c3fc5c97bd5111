/// The part of a transfer that a store holds when the transfer is opened.
public enum ResumeState: Sendable {
    /// The manifest is not accepted yet. The store holds its first `blockCount` blocks, of
    /// 4,096 bytes each. If these are all its blocks, call
    /// ``ImageStore/acceptManifest(unless:preferring:)`` next.
    case manifest(blockCount: Int)
    /// The store holds the accepted manifest. `held` has one element for each block of the
    /// image: whether the store holds that block. If it holds all blocks, call
    /// ``ImageStore/publish(decodedBy:)`` next.
    case image(Manifest, held: [Bool])
    /// The image was sent encoded, its manifest was accepted, and the store holds the decoded
    /// image. The image is not current; it may be the previous image, for example. Call
    /// ``ImageStore/publish(decodedBy:)`` next; it needs neither a base nor a key.
    case decoded(Manifest)
    /// The image is already current. It was hashed again to make sure that it is still intact.
    case current(StoredImage)
}
