/// The properties of a transfer that the protocol needs. The image itself stays with the
/// caller.
public struct TransferDescription: Hashable, Sendable, BitwiseCopyable {
    /// The tag of the transfer.
    public let tag: TransferTag
    /// The length of the manifest, object 0, in bytes.
    public let manifestByteCount: UInt32
    /// The length of the image, object 1, in bytes, at least 1.
    public let imageByteCount: UInt32
    /// The first 8 bytes of the image's SHA-256 as a little-endian number. RESULT *verified*
    /// must carry the same number.
    public let digestPrefix: UInt64

    /// Creates a description.
    ///
    /// - Parameters:
    ///   - tag: the tag of the transfer.
    ///   - manifestByteCount: 66 to 33,554,432.
    ///   - imageByteCount: 1 or more.
    ///   - digestPrefix: the first 8 bytes of the image's SHA-256, as a little-endian number.
    public init(
        tag: TransferTag,
        manifestByteCount: UInt32,
        imageByteCount: UInt32,
        digestPrefix: UInt64
    ) {
        precondition(SenderControl.Open.manifestByteCounts.contains(manifestByteCount))
        precondition(imageByteCount > 0)
        self.tag = tag
        self.manifestByteCount = manifestByteCount
        self.imageByteCount = imageByteCount
        self.digestPrefix = digestPrefix
    }

    /// Returns the length in bytes of the manifest or the image.
    func byteCount(of object: ObjectID) -> UInt32 {
        object == .manifest ? manifestByteCount : imageByteCount
    }
}
