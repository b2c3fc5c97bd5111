/// The window policy at work: whether one more chunk may be sent now.
enum SendWindow: BitwiseCopyable {
    case automatic(AutomaticWindow)
    case fixed(chunkCount: Int)
    case burst(BurstWindow)

    init(_ policy: WindowPolicy) {
        switch policy {
        case .automatic: self = .automatic(AutomaticWindow())
        case .fixed(let chunkCount): self = .fixed(chunkCount: chunkCount)
        case .burst(let chunkCount, let pause):
            self = .burst(BurstWindow(chunkCount: chunkCount, pause: pause))
        }
    }

    /// How many chunks may be sent before something has to happen.
    func allowance(inFlight: Int) -> Int {
        switch self {
        case .automatic(let window): max(window.chunkCount - inFlight, 0)
        case .fixed(let chunkCount): max(chunkCount - inFlight, 0)
        case .burst(let burst): burst.allowance
        }
    }

    /// Whether an ACK makes room enough to go on: an eighth of an automatic window. Filling it in
    /// smaller bits would end each with a poll, whose answer makes room for the next small bit, for
    /// ever; waiting for more would empty a window that losses have just made small.
    func isWorthResuming(inFlight: Int) -> Bool {
        guard case .automatic(let window) = self else { return true }
        return inFlight == 0 || allowance(inFlight: inFlight) >= max(window.chunkCount / 8, 1)
    }

    /// The number of chunks after which an ACK is wanted: half a window, and of an odd one the
    /// larger half, since its end is a poll too.
    var pollSpacing: Int {
        switch self {
        case .automatic(let window): (window.chunkCount + 1) / 2
        case .fixed(let chunkCount): max(chunkCount / 2, 1)
        case .burst(let burst): burst.pollSpacing
        }
    }

    /// Whether the pauses end by the clock alone, so that a missing ACK means nothing.
    var isTimed: Bool {
        if case .burst(let burst) = self { return burst.isTimed }
        return false
    }

    /// When the window opens by itself.
    var deadline: Instant? {
        if case .burst(let burst) = self { return burst.resumesAt }
        return nil
    }

    /// A chunk was sent.
    mutating func chunkSent(at now: Instant) {
        guard case .burst(var burst) = self else { return }
        burst.chunkSent(at: now)
        self = .burst(burst)
    }

    /// Time passed, or chunks left the flight.
    mutating func update(inFlight: Int, at now: Instant) {
        guard case .burst(var burst) = self else { return }
        burst.update(inFlight: inFlight, at: now)
        self = .burst(burst)
    }

    /// An ACK brought news of chunks in flight.
    mutating func acknowledged(_ sample: DeliverySample) {
        guard case .automatic(var window) = self else { return }
        window.acknowledged(sample)
        self = .automatic(window)
    }
}
