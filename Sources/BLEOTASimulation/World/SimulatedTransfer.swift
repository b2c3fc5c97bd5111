import BLEOTACore

/// A transfer in a scenario drawn from a seed. It runs both real state machines over a simulated
/// link and a simulated store, in virtual time. The same seed gives the same run on every machine.
///
/// The seed determines the length of the image, the limits of both ends, and the faults: loss,
/// duplication, reordering, damage, stalls, lost links, and restarts of either end. Every frame
/// is checked against everything its sender has been told and has promised, and the image must
/// arrive once the faults have ended.
///
/// ```swift
/// let transfer = SimulatedTransfer(seed: 42)
/// for option in transfer.options { print("\(option.name): \(option.value)") }
/// print(transfer.run().violation ?? "as it should be")
/// ```
public struct SimulatedTransfer: Sendable {
    /// A description of a drawn value.
    public struct Option: Sendable, Hashable {
        /// The name of the value, at most 16 characters.
        public let name: String
        /// The value as one line of text.
        public let value: String
    }

    /// The seed of the scenario.
    public let seed: UInt64

    private let scenario: Scenario

    /// Draws a scenario; any seed is valid.
    public init(seed: UInt64) {
        self.seed = seed
        scenario = .drawn(from: seed)
    }

    /// The drawn values.
    public var options: [Option] { scenario.options }

    /// Runs the transfer to its end. This usually takes a millisecond of real time, and a few
    /// seconds if the run reaches the limit on events.
    ///
    /// - Parameter onTrace: called with every event, in order. Without it, no descriptions are
    ///   created.
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
