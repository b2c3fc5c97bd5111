public import BLEOTACore

/// An event that a ``DeviceReceiver`` reports to the log.
public enum DeviceEvent: Hashable, Sendable, BitwiseCopyable {
    /// A session began. Its manifest has this many bytes.
    case opened(manifestByteCount: UInt32)
    /// The reception of the image begins. This many of its bytes are held from an earlier
    /// session.
    case resumed(heldByteCount: UInt32)
    /// This many bytes of the image are durable.
    case durable(byteCount: UInt32)
    /// The block with this number did not match its hash.
    case blockRejected(UInt32)
    /// A flash operation failed.
    case flashFailed(FlashFault)
    /// The session ended for this reason.
    case ended(Reason)
}
