import BLEOTACore

/// The phases of an update. Each but `unlinked`, `returning` and `finished` has a link.
enum UpdatePhase: ~Copyable {
    /// There is no link.
    case unlinked
    /// The device was asked for its buffers.
    case parameters
    /// The device was asked for its images, to see what is left to do.
    case inspecting
    /// The device was asked for the sizes of its slots.
    case sizing
    case uploading(Uploader)
    /// The device was asked for its images, to see that it has the right one.
    case verifying
    /// The device was asked to start the image at its next restart.
    case marking
    /// The device was asked to restart.
    case resetting
    /// The device restarts, and the link is down or to be closed.
    case returning(isClosing: Bool)
    /// The device was asked for its images, to see which one runs.
    case readingBack
    /// The device runs the image on trial, and is asked again at this time whether it keeps it.
    case awaitingConfirmation(askAt: Instant)
    /// The device was asked to keep the image.
    case confirming
    /// The outcome is reported once.
    case finished(SMPUpdate.Outcome, isReported: Bool)
}
