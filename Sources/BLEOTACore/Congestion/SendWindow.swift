/// The window policy at work: whether one more chunk may be sent now.
enum SendWindow: BitwiseCopyable {
    case automatic(AutomaticWindow)
    case fixed(chunkCount: Int)
    case burst(BurstWindow)

    /// - Parameter frameByteCount: of a data frame, with its header.
    init(_ policy: WindowPolicy, baseRoundTrip: BaseRoundTrip, frameByteCount: Int) {
        switch policy {
        case .automatic:
            self = .automatic(
                AutomaticWindow(baseRoundTrip: baseRoundTrip, frameByteCount: frameByteCount)
            )
        case .fixed(let chunkCount): self = .fixed(chunkCount: chunkCount)
        case .burst(let chunkCount, let pause):
            self = .burst(BurstWindow(chunkCount: chunkCount, pause: pause))
        }
    }

    /// How many chunks may be sent before something has to happen.
    func allowance(inFlight: Int) -> Int {
        switch self {
        case .automatic(let window):
            window.opensAt == nil ? max(window.chunkCount - inFlight, 0) : 0
        case .fixed(let chunkCount): max(chunkCount - inFlight, 0)
        case .burst(let burst): burst.allowance
        }
    }

    /// Whether an ACK makes room enough to go on: an eighth of an automatic window that is not
    /// paced, and so filled at once. Filling it in smaller bits would end each with a poll, whose
    /// answer makes room for the next small bit, for ever.
    func isWorthResuming(inFlight: Int) -> Bool {
        guard case .automatic(let window) = self, !window.isPaced else { return true }
        return inFlight == 0 || allowance(inFlight: inFlight) >= max(window.chunkCount / 8, 1)
    }

    /// The number of chunks after which an ACK is wanted: the half of a fixed window, or of what
    /// credit leaves of it.
    func pollInterval(withCredit credit: Int) -> Int {
        switch self {
        case .automatic(let window): min(window.pollInterval, max(credit / 2, 1))
        case .fixed(let chunkCount): max(min(chunkCount, credit) / 2, 1)
        case .burst(let burst): burst.pollInterval
        }
    }

    /// Whether nothing can be sent before something arrives; a pause that the clock ends does not
    /// count.
    func isFull(inFlight: Int) -> Bool {
        if case .automatic(let window) = self { return window.chunkCount <= inFlight }
        return allowance(inFlight: inFlight) == 0
    }

    /// Whether the pauses end by the clock alone, so that a missing ACK means nothing.
    var isTimed: Bool {
        if case .burst(let burst) = self { return burst.isTimed }
        return false
    }

    /// When the window opens by itself.
    var deadline: Instant? {
        switch self {
        case .automatic(let window): window.opensAt
        case .burst(let burst): burst.resumesAt
        case .fixed: nil
        }
    }

    /// A chunk was sent.
    mutating func chunkSent(at now: Instant) {
        switch self {
        case .automatic(var window):
            window.chunkSent(at: now)
            self = .automatic(window)
        case .burst(var burst):
            burst.chunkSent()
            self = .burst(burst)
        case .fixed: break
        }
    }

    /// The caller has handed on every chunk it was given, and asks for the next.
    mutating func asked(at now: Instant) {
        guard case .burst(var burst) = self else { return }
        burst.asked(at: now)
        self = .burst(burst)
    }

    /// Time passed, or chunks left the flight.
    mutating func update(inFlight: Int, at now: Instant) {
        switch self {
        case .automatic(var window):
            window.update(at: now)
            self = .automatic(window)
        case .burst(var burst):
            burst.update(inFlight: inFlight, at: now)
            self = .burst(burst)
        case .fixed: break
        }
    }

    /// An ACK brought news of chunks in flight.
    mutating func acknowledged(_ sample: RateSample) {
        guard case .automatic(var window) = self else { return }
        window.acknowledged(sample)
        self = .automatic(window)
    }
}
