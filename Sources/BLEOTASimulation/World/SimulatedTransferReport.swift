public import BLEOTACore

/// What a simulated transfer amounted to.
public struct SimulatedTransferReport: Sendable, Hashable {
    /// What its world was drawn from.
    public let seed: UInt64
    /// The first thing that broke a rule, and when; `nil` if nothing did.
    public let violation: String?
    /// How the last sender ended; `nil` only where a violation came first. Anything but `verified`
    /// is an end only in a world whose faults never do.
    public let outcome: SenderOutcome?
    /// From the first frame until neither end has anything left to do, in virtual time.
    public let duration: Microseconds
    /// How long the image is.
    public let imageByteCount: Int
    /// Frames that either end sent.
    public let frameCount: Int
    /// The bytes of those frames.
    public let byteCount: Int
    /// How often the link was cut or an end restarted while the transfer went on.
    public let interruptionCount: Int
    /// A hash over what was sent and what arrived, and when: two runs with the same hash were the
    /// same run.
    public let traceHash: UInt64

    /// A report of these values; runs and tests make them.
    public init(
        seed: UInt64,
        violation: String?,
        outcome: SenderOutcome?,
        duration: Microseconds,
        imageByteCount: Int,
        frameCount: Int,
        byteCount: Int,
        interruptionCount: Int,
        traceHash: UInt64
    ) {
        self.seed = seed
        self.violation = violation
        self.outcome = outcome
        self.duration = duration
        self.imageByteCount = imageByteCount
        self.frameCount = frameCount
        self.byteCount = byteCount
        self.interruptionCount = interruptionCount
        self.traceHash = traceHash
    }
}
