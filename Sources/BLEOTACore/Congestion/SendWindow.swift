/// The window policy in operation. It decides whether another chunk may be sent now, and
/// whether the chunk must request an ACK.
///
/// A sender calls ``canSend(inFlight:at:)`` before each chunk and ``sent(at:)`` after it. For
/// each ACK it first calls ``acknowledged(_:)``, which measures the rate. When it has processed
/// the whole ACK, it calls ``update(inFlight:isRepairing:at:)``. At ``deadline`` it calls
/// ``timeout(inFlight:at:)``.
struct SendWindow: BitwiseCopyable {
    private enum Policy: BitwiseCopyable {
        case automatic(AutomaticWindow)
        case fixed(chunkCount: Int)
        case burst(BurstWindow)
    }

    private var policy: Policy
    /// Whether sending is suspended until a later ACK makes more room.
    private var isHeldBack = false

    /// - Parameter frameByteCount: the length of a data frame, including its header.
    init(_ policy: WindowPolicy, baseRoundTrip: BaseRoundTrip, frameByteCount: Int) {
        self.policy =
            switch policy {
            case .automatic:
                .automatic(
                    AutomaticWindow(baseRoundTrip: baseRoundTrip, frameByteCount: frameByteCount)
                )
            case .fixed(let chunkCount): .fixed(chunkCount: chunkCount)
            case .burst(let chunkCount, let pause):
                .burst(BurstWindow(chunkCount: chunkCount, pause: pause))
            }
    }

    /// Whether pauses end by the clock alone, in which case a missing ACK has no significance.
    var isTimed: Bool {
        if case .burst(let burst) = policy { return burst.isTimed }
        return false
    }

    /// The number of chunks that may be in flight. It is 0 for bursts, which do not limit the
    /// chunks in flight.
    var chunkCount: Int {
        switch policy {
        case .automatic(let window): window.chunkCount
        case .fixed(let chunkCount): chunkCount
        case .burst: 0
        }
    }

    /// The time at which the window opens without an ACK.
    var deadline: Instant? {
        switch policy {
        case .automatic(let window): window.opensAt
        case .burst(let burst): burst.resumesAt
        case .fixed: nil
        }
    }

    /// Returns whether another chunk may be sent. The caller must have passed all earlier
    /// chunks on to the link.
    mutating func canSend(inFlight: Int, at now: Instant) -> Bool {
        if case .burst(var burst) = policy {
            burst.asked(at: now)
            policy = .burst(burst)
        }
        return !isHeldBack && room(inFlight: inFlight) > 0
    }

    /// Records that a chunk was sent.
    mutating func sent(at now: Instant) {
        switch policy {
        case .automatic(var window):
            window.chunkSent(at: now)
            policy = .automatic(window)
        case .burst(var burst):
            burst.chunkSent()
            policy = .burst(burst)
        case .fixed: break
        }
    }

    /// Records an ACK that newly acknowledges chunks in flight.
    mutating func acknowledged(_ sample: RateSample) {
        guard case .automatic(var window) = policy else { return }
        window.acknowledged(sample)
        policy = .automatic(window)
    }

    /// Updates the window after an ACK has been processed.
    ///
    /// - Parameter isRepairing: whether there are lost chunks, which are sent again at once.
    mutating func update(inFlight: Int, isRepairing: Bool, at now: Instant) {
        timeout(inFlight: inFlight, at: now)
        isHeldBack = !isRepairing && !isWorthResuming(inFlight: inFlight)
    }

    /// Updates the window after time has passed.
    mutating func timeout(inFlight: Int, at now: Instant) {
        switch policy {
        case .automatic(var window):
            window.update(at: now)
            policy = .automatic(window)
        case .burst(var burst):
            burst.update(inFlight: inFlight, at: now)
            policy = .burst(burst)
        case .fixed: break
        }
    }

    /// Whether the last of `sentCount` chunks since the previous request must request an ACK.
    /// This is the case if half of the window or of the remaining credit has been used, or if
    /// the window is full. A burst requests an ACK at its end, and a timed burst requests none.
    func wantsAcknowledgement(after sentCount: Int, credit: Int, inFlight: Int) -> Bool {
        let interval =
            switch policy {
            case .automatic(let window): min(window.pollInterval, max(credit / 2, 1))
            case .fixed(let chunkCount): max(min(chunkCount, credit) / 2, 1)
            case .burst(let burst): burst.pollInterval
            }
        return !isTimed && (sentCount >= interval || isFull(inFlight: inFlight))
    }

    /// Whether nothing can be sent before an ACK arrives.
    func isStopped(inFlight: Int) -> Bool {
        !isTimed && (isHeldBack || isFull(inFlight: inFlight))
    }

    /// Whether the window is full. A pause that ends by the clock does not count.
    private func isFull(inFlight: Int) -> Bool {
        if case .automatic(let window) = policy { return window.chunkCount <= inFlight }
        return room(inFlight: inFlight) == 0
    }

    private func room(inFlight: Int) -> Int {
        switch policy {
        case .automatic(let window):
            window.opensAt == nil ? max(window.chunkCount - inFlight, 0) : 0
        case .fixed(let chunkCount): max(chunkCount - inFlight, 0)
        case .burst(let burst): burst.allowance
        }
    }

    /// Whether an ACK makes enough room to resume. An automatic window that is not paced is
    /// filled at once, so an eighth of it must be free. If it were filled in smaller steps,
    /// each step would end with a poll whose answer again makes room for only one small step.
    private func isWorthResuming(inFlight: Int) -> Bool {
        guard case .automatic(let window) = policy, !window.isPaced else { return true }
        return inFlight == 0 || room(inFlight: inFlight) >= max(window.chunkCount / 8, 1)
    }
}
