/// One of the two places for images that other protocols have: that of the image that runs, and
/// that of the image that waits or can be returned to.
package struct ImageSlot: Sendable, Hashable {
    /// 0 for the image that runs, 1 for the other.
    package var number: Int
    /// The version as the image states it; empty if it states none.
    package var version: String
    /// The hash in the TLVs of an MCUboot image, otherwise the SHA-256 of the image; empty if the
    /// image is not known.
    package var hash: [UInt8]
    /// The length of the image in bytes; 0 if it is not known.
    package var byteCount: Int
    package var isActive = false
    package var isConfirmed = false
    /// Whether the image becomes the running one at the next restart.
    package var isPending = false
    /// Whether it then remains so.
    package var isPermanent = false
}
