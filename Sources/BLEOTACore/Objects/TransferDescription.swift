/// What a sender has to send, in the numbers the protocol needs; the bytes stay with the caller.
public struct TransferDescription: Hashable, Sendable, BitwiseCopyable {
    /// Names the transfer.
    public let tag: TransferTag
    /// The length of object 0.
    public let manifestByteCount: UInt32
    /// The length of object 1, at least 1.
    public let imageByteCount: UInt32
    /// The first 8 bytes of the image's SHA-256 as a little-endian number, which RESULT *verified*
    /// must carry.
    public let digestPrefix: UInt64

    /// Makes a description.
    ///
    /// - Parameter manifestByteCount: 66 to 33,554,432.
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

    /// The length of an object that is transferred.
    func byteCount(of object: ObjectID) -> UInt32 {
        object == .manifest ? manifestByteCount : imageByteCount
    }
}
