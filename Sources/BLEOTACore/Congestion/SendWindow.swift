/// The window policy at work: whether one more chunk may be sent now, and whether it has to ask for
/// an ACK.
///
/// A sender asks ``canSend(inFlight:at:)`` before each chunk and says ``sent(at:)`` after it. It
/// hands each ACK on as ``acknowledged(_:)``, which measures, and when it has seen what the ACK
/// says of its chunks as ``update(inFlight:isRepairing:at:)``. At ``deadline`` it calls
/// ``timeout(inFlight:at:)``.
struct SendWindow: BitwiseCopyable {
    private enum Policy: BitwiseCopyable {
        case automatic(AutomaticWindow)
        case fixed(chunkCount: Int)
        case burst(BurstWindow)
    }

    private var policy: Policy
    /// Whether to wait for a later ACK that makes more room.
    private var isHeldBack = false

    /// - Parameter frameByteCount: of a data frame, with its header.
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

    /// Whether its pauses end by the clock alone, so that a missing ACK means nothing.
    var isTimed: Bool {
        if case .burst(let burst) = policy { return burst.isTimed }
        return false
    }

    /// How many chunks may be in flight; 0 for bursts, which are not of what is in flight.
    var chunkCount: Int {
        switch policy {
        case .automatic(let window): window.chunkCount
        case .fixed(let chunkCount): chunkCount
        case .burst: 0
        }
    }

    /// When it opens by itself.
    var deadline: Instant? {
        switch policy {
        case .automatic(let window): window.opensAt
        case .burst(let burst): burst.resumesAt
        case .fixed: nil
        }
    }

    /// Whether one more chunk may be sent. The caller has handed on every chunk before.
    mutating func canSend(inFlight: Int, at now: Instant) -> Bool {
        if case .burst(var burst) = policy {
            burst.asked(at: now)
            policy = .burst(burst)
        }
        return !isHeldBack && room(inFlight: inFlight) > 0
    }

    /// A chunk was sent.
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

    /// An ACK brought news of chunks in flight.
    mutating func acknowledged(_ sample: RateSample) {
        guard case .automatic(var window) = policy else { return }
        window.acknowledged(sample)
        policy = .automatic(window)
    }

    /// An ACK was read to its end.
    ///
    /// - Parameter isRepairing: whether chunks are lost, which go out again at once.
    mutating func update(inFlight: Int, isRepairing: Bool, at now: Instant) {
        timeout(inFlight: inFlight, at: now)
        isHeldBack = !isRepairing && !isWorthResuming(inFlight: inFlight)
    }

    /// Time has passed.
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

    /// Whether the last of so many chunks has to ask for an ACK, since the one before asked:
    /// because the half of a window is sent, or of what credit leaves of it, or because there is no
    /// room. In timed bursts none has to.
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

    /// A pause that the clock ends does not count.
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

    /// Whether an ACK makes room enough to go on: an eighth of an automatic window that is not
    /// paced, and so filled at once. Filling it in smaller bits would end each with a poll, whose
    /// answer makes room for the next small bit, for ever.
    private func isWorthResuming(inFlight: Int) -> Bool {
        guard case .automatic(let window) = policy, !window.isPaced else { return true }
        return inFlight == 0 || room(inFlight: inFlight) >= max(window.chunkCount / 8, 1)
    }
}
