import BLEOTACore

/// One transfer in a world drawn from a seed: both real machines, over a modelled link and a
/// modelled store, in virtual time. The same seed gives the same run on every machine.
///
/// The seed draws how long the image is, what both ends can do, and what goes wrong: loss,
/// duplication, reordering, damage, stalls, cuts, and restarts of either side. Every frame is held
/// against what its end was told before, and once the faults are over the image has to arrive.
///
/// ```swift
/// let transfer = SimulatedTransfer(seed: 42)
/// for option in transfer.options { print("\(option.name): \(option.value)") }
/// print(transfer.run().violation ?? "as it should be")
/// ```
public struct SimulatedTransfer: Sendable {
    /// Something that the seed has drawn, in words.
    public struct Option: Sendable, Hashable {
        /// What it is about, in at most 16 characters.
        public let name: String
        /// What was drawn, on one line.
        public let value: String
    }

    /// What the world is drawn from.
    public let seed: UInt64

    private let scenario: Scenario

    /// Draws a world; any number will do.
    public init(seed: UInt64) {
        self.seed = seed
        scenario = .drawn(from: seed)
    }

    /// What was drawn.
    public var options: [Option] { scenario.options }

    /// Runs it to its end, which takes no longer than computing it does: a millisecond as a rule,
    /// a few seconds where the most events pass that a run may have.
    ///
    /// - Parameter onTrace: is called for everything that happens, in order. Who doesn't listen
    ///   does not pay for the words.
    public func run(
        onTrace: ((SimulatedTraceEntry) -> Void)? = nil
    ) -> SimulatedTransferReport {
        let pair = Pair(scenario, onTrace: onTrace)
        pair.run()
        return SimulatedTransferReport(
            seed: seed,
            violation: pair.failure,
            outcome: pair.outcome,
            duration: pair.now - Instant(microseconds: 0),
            imageByteCount: scenario.imageByteCount,
            frameCount: pair.traffic.datagramCount,
            byteCount: pair.traffic.byteCount,
            interruptionCount: pair.interruptionCosts.count,
            traceHash: pair.trace.hash
        )
    }
}
