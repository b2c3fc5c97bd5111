/// Turns a ``FaultPlan`` into a sequence of decisions, without using a clock or a link.
struct FaultDice: Sendable {
    /// The fate of one datagram.
    struct Decision: Sendable, Hashable {
        /// The bytes to send, after truncation and corruption.
        var bytes: [UInt8]
        var isLost = false
        var isDuplicated = false
        var isCorrupted = false
        var isTruncated = false
        var isStalled = false
        /// How many later datagrams overtake this one; 0 if it is not held back. If the datagram is
        /// also duplicated, one copy is sent at once and the other is held back.
        var overtakerCount = 0
    }

    private let plan: FaultPlan
    /// Each datagram has a separate generator, so that one more draw for a datagram doesn't change
    /// the fate of all later ones.
    private var seeds: SeededGenerator

    init(_ plan: FaultPlan) {
        self.plan = plan
        seeds = SeededGenerator(seed: plan.seed)
    }

    /// Decides the fate of the next datagram in the sequence.
    mutating func decide(_ bytes: [UInt8], _ delivery: Datagram.Delivery) -> Decision {
        var generator = SeededGenerator(seed: seeds.next())
        var decision = Decision(bytes: bytes)
        // Each die is rolled even if its result is not used. The order of the rolls must never
        // change.
        let isLost = plan.loss.occurs(using: &generator)
        let isDuplicated = plan.duplication.occurs(using: &generator)
        let isReordered = plan.reordering.occurs(using: &generator)
        let isCorrupted = plan.corruption.occurs(using: &generator)
        let isTruncated = plan.truncation.occurs(using: &generator)
        decision.isStalled = plan.stallProbability.occurs(using: &generator)
        let overtakerCount = generator.next(in: 1...plan.reorderDistance)

        if delivery == .withoutResponse {
            decision.isLost = isLost
            // A datagram that never arrives can't arrive twice or late.
            decision.isDuplicated = isDuplicated && !isLost
            decision.overtakerCount = isReordered && !isLost ? overtakerCount : 0
        }
        if isTruncated, !decision.isLost, bytes.count > 1 {
            decision.isTruncated = true
            decision.bytes.removeLast(generator.next(in: 1...bytes.count - 1))
        }
        if isCorrupted, !decision.isLost {
            decision.isCorrupted = true
            Self.flipBits(of: &decision.bytes, using: &generator)
        }
        return decision
    }

    private static func flipBits(
        of bytes: inout [UInt8],
        using generator: inout SeededGenerator
    ) {
        // The bits must be different, or two flips could cancel each other out. Even one byte has
        // eight bits.
        var positions: Set<Int> = []
        let count = generator.next(in: 1...8)
        while positions.count < count {
            positions.insert(generator.next(in: 0...bytes.count * 8 - 1))
        }
        for position in positions { bytes[position / 8] ^= 1 << (position % 8) }
    }
}
