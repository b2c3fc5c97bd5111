public import BLEOTACore

/// The results of a simulated transfer.
public struct SimulatedTransferReport: Sendable, Hashable {
    /// The seed of the scenario.
    public let seed: UInt64
    /// The first violation of a rule, and its time; `nil` if there is none.
    public let violation: String?
    /// The outcome of the last sender; `nil` only if a violation occurred first. An outcome other
    /// than `verified` can end a run only if the scenario's faults never end.
    public let outcome: SenderOutcome?
    /// The virtual time from the first frame until both ends have finished.
    public let duration: Microseconds
    /// The length of the image in bytes.
    public let imageByteCount: Int
    /// The number of frames that both ends sent.
    public let frameCount: Int
    /// The total length of all sent frames in bytes.
    public let byteCount: Int
    /// The number of lost links and restarts of an end during the transfer.
    public let interruptionCount: Int
    /// A hash of all sent and received frames and their times. Two runs with the same hash can be
    /// considered identical.
    public let traceHash: UInt64

    /// Creates a report, for runs and tests.
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
