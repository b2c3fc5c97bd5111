/// What a store holds of a transfer when it is opened.
public enum ResumeState: Sendable {
    /// The manifest is not yet accepted: its first `blockCount` blocks of 4,096 bytes are held. If
    /// that is all of them, ``ImageStore/acceptManifest(unless:preferring:)`` is next.
    case manifest(blockCount: Int)
    /// The manifest is held and accepted; `held` has an element for each block of the image. If
    /// all are held, ``ImageStore/publish(decodedBy:)`` is next.
    case image(Manifest, held: [Bool])
    /// The image travelled encoded and is held decoded, under a manifest that was accepted, but is
    /// not current, as the one before the current one is. ``ImageStore/publish(decodedBy:)`` is
    /// next, and needs no base and no key.
    case decoded(Manifest)
    /// This very image is current already, and was hashed again to see that it still is whole.
    case current(StoredImage)
}
