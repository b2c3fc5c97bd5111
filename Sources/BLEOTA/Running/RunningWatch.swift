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

    //= RUN-3: This rule is for a sender that has been told to wait until its image runs. On STATUS
    //= *confirmed* with the tag of its image, the sender MUST report success. On *failed* or
    //= *unknown*, the sender MUST report failure. If a STATUS had the tag of the sender's image,
    //= and a later STATUS says *confirmed* or *on trial* with another tag, the sender MUST report
    //= failure. The sender MUST NOT report success in any other case, and MUST end the wait after a
    //= configured time.
    mutating func judge(_ running: RunningImage) -> Verdict {
        switch running.state {
        case .unknown: return .ended(.unknown)
        case .failed: return .ended(.failed)
        case .installing: return .waiting
        case .confirmed where running.tag == tag: return .confirmed
        case .onTrial where running.tag == tag:
            hasRun = true
            return .waiting
        // Until the image has run, the report is about its predecessor. After that, the report
        // means that the device has reverted to another image.
        case .confirmed, .onTrial: return hasRun ? .ended(.reverted) : .waiting
        }
    }
}
