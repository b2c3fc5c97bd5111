/// One of the two image slots that other protocols present: slot 0 for the running image, and
/// slot 1 for an image that waits for a restart or to which the device can return.
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
    /// Whether the image stays the running one after that restart.
    package var isPermanent = false
}
