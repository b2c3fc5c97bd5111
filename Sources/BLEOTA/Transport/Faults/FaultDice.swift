/// Turns a ``FaultPlan`` into one decision after the other. Pure: no clock and no link.
struct FaultDice: Sendable {
    /// What happens to one datagram.
    struct Decision: Sendable, Hashable {
        /// As they go out, after truncation and corruption.
        var bytes: [UInt8]
        var isLost = false
        var isDuplicated = false
        var isCorrupted = false
        var isTruncated = false
        var isStalled = false
        /// How many later datagrams overtake it; 0 when it is not held back. Of a datagram that
        /// is also duplicated one copy goes at once and the other is held back.
        var overtakerCount = 0
    }

    private let plan: FaultPlan
    /// Every datagram has a generator of its own, so that one more question about a datagram
    /// doesn't change the fate of all that follow.
    private var seeds: SeededGenerator

    init(_ plan: FaultPlan) {
        self.plan = plan
        seeds = SeededGenerator(seed: plan.seed)
    }

    /// Decides about the next datagram of the sequence.
    mutating func decide(_ bytes: [UInt8], _ delivery: Datagram.Delivery) -> Decision {
        var generator = SeededGenerator(seed: seeds.next())
        var decision = Decision(bytes: bytes)
        // Each die is cast whether or not it counts, in this order for ever.
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
        // Different bits, or two flips could undo each other. Even one byte has eight of them.
        var positions: Set<Int> = []
        let count = generator.next(in: 1...8)
        while positions.count < count {
            positions.insert(generator.next(in: 0...bytes.count * 8 - 1))
        }
        for position in positions { bytes[position / 8] ^= 1 << (position % 8) }
    }
}
