/// What a ``FaultyTransport`` does to the datagrams that its end sends.
///
/// All decisions follow from ``seed`` and the position of a datagram in the sequence of sends:
/// the same plan and the same sends give the same faults. Datagrams with response are never
/// lost, repeated or reordered, since the ATT layer repairs that; all else can happen to them.
package struct FaultPlan: Sendable, Hashable {
    /// A datagram disappears.
    package var loss: Probability
    /// A datagram arrives twice.
    package var duplication: Probability
    /// A datagram is held back until others have overtaken it.
    package var reordering: Probability
    /// One to eight different bits of a datagram are flipped.
    package var corruption: Probability
    /// A datagram of at least two bytes loses one or more bytes at its end, never all.
    package var truncation: Probability
    /// The most datagrams that overtake one held back, at least 1. When fewer follow, it goes out
    /// after five milliseconds, and at a flush or close.
    package var reorderDistance: Int
    /// The link stands still before a datagram.
    package var stallProbability: Probability
    /// For how long it stands still.
    package var stallDuration: Duration
    /// The link is cut, with ``CloseReason/injected``, once this many datagrams were sent; `nil`
    /// for never. 0 cuts it at the first send.
    package var cutAfterDatagrams: Int?
    /// What all chance follows from.
    package var seed: UInt64

    /// Makes a plan; without arguments one that does nothing.
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
