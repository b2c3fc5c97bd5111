/// The faults that a ``FaultyTransport`` applies to the datagrams that its end sends.
///
/// All decisions depend only on ``seed`` and on a datagram's position in the sequence of sends,
/// so the same plan and the same sends result in the same faults. Datagrams with response are
/// never lost, duplicated or reordered, because ATT sends the next of them only after the
/// response to the previous one. All other faults can affect them.
package struct FaultPlan: Sendable, Hashable {
    /// The probability that a datagram is lost.
    package var loss: Probability
    /// The probability that a datagram arrives twice.
    package var duplication: Probability
    /// The probability that a datagram is held back until others have overtaken it.
    package var reordering: Probability
    /// The probability that one to eight different bits of a datagram are flipped.
    package var corruption: Probability
    /// The probability that a datagram of at least two bytes loses bytes at its end, but never all.
    package var truncation: Probability
    /// The maximum number of datagrams that overtake a held one, at least 1. If fewer follow,
    /// the held datagram is sent after five milliseconds, or at a flush or close before that.
    package var reorderDistance: Int
    /// The probability that the link stalls before a datagram.
    package var stallProbability: Probability
    /// The duration of a stall.
    package var stallDuration: Duration
    /// The number of datagrams after which the link is cut with ``CloseReason/injected``; `nil` for
    /// no cut, 0 for a cut at the first send.
    package var cutAfterDatagrams: Int?
    /// The seed for all random decisions.
    package var seed: UInt64

    /// Creates a plan. Without arguments, the plan has no faults.
    package init(
        loss: Probability = .never,
        duplication: Probability = .never,
        reordering: Probability = .never,
        corruption: Probability = .never,
        truncation: Probability = .never,
        reorderDistance: Int = 3,
        stallProbability: Probability = .never,
        stallDuration: Duration = .milliseconds(50),
        cutAfterDatagrams: Int? = nil,
        seed: UInt64 = 0
    ) {
        self.loss = loss
        self.duplication = duplication
        self.reordering = reordering
        self.corruption = corruption
        self.truncation = truncation
        self.reorderDistance = reorderDistance
        self.stallProbability = stallProbability
        self.stallDuration = stallDuration
        self.cutAfterDatagrams = cutAfterDatagrams
        self.seed = seed
    }
}
