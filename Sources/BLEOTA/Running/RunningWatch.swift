import BLEOTACore

/// Decides from a device's reports whether a certain image is running and confirmed.
struct RunningWatch {
    enum Verdict: Hashable {
        case waiting
        case confirmed
        case ended(NotRunning)
    }

    private let tag: UInt64
    /// Whether the device has reported that it runs the image on trial.
    private var hasRun = false

    /// - Parameter tag: the running tag of the image, as in STATUS.
    init(tag: UInt64) { self.tag = tag }

    //= RUN-3: A sender that was told to wait until its image runs MUST report success only on
    //= STATUS *confirmed* with the tag of its image, and failure on *failed*, on *unknown*, and on
    //= a STATUS *confirmed* or *on trial* with another tag after one with that of its image; and
    //= end its wait in any case after a stated time.
    mutating func judge(_ running: RunningImage) -> Verdict {
        switch running.state {
        case .unknown: return .ended(.unknown)
        case .failed: return .ended(.failed)
        case .installing: return .waiting
        case .confirmed where running.tag == tag: return .confirmed
        case .onTrial where running.tag == tag:
            hasRun = true
            return .waiting
        // Until the image has run, this is the image that ran before it. After that, the device
        // has gone back to another image.
        case .confirmed, .onTrial: return hasRun ? .ended(.reverted) : .waiting
        }
    }
}
