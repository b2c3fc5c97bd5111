import BLEOTACore

/// The phases of an update. All but `unlinked`, `returning` and `finished` have a link.
enum UpdatePhase: ~Copyable {
    /// There is no link.
    case unlinked
    /// The device was asked for its buffers.
    case parameters
    /// The device was asked for its images, which show what is left to do.
    case inspecting
    /// The device was asked for the sizes of its slots.
    case sizing
    case uploading(Uploader)
    /// The device was asked for its images, which show whether it has the uploaded one.
    case verifying
    /// The device was asked to boot the image at its next restart, on trial or permanently.
    case marking
    /// The device was asked to restart.
    case resetting
    /// The device restarts, and the link is down or is to be closed.
    case returning(isClosing: Bool)
    /// The device was asked for its images, which show the one that runs.
    case readingBack
    /// The device runs the image on trial, and is asked at this time whether it has confirmed the
    /// image.
    case awaitingConfirmation(askAt: Instant)
    /// The device was asked to keep the image.
    case confirming
    /// The update has ended. Its outcome is reported once.
    case finished(SMPUpdate.Outcome, isReported: Bool)
}
