public import BLEOTACore

/// What a ``DeviceReceiver`` tells a log.
public enum DeviceEvent: Hashable, Sendable, BitwiseCopyable {
    /// A session began, with a manifest of so many bytes.
    case opened(manifestByteCount: UInt32)
    /// The image is received from here on; so many of its bytes are held from before.
    case resumed(heldByteCount: UInt32)
    /// So many bytes of the image are durable.
    case durable(byteCount: UInt32)
    /// A block did not have its hash.
    case blockRejected(UInt32)
    /// The flash failed.
    case flashFailed(FlashFault)
    /// The session is over.
    case ended(Reason)
}
