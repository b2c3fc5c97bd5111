/// Which unfinished transfers a store gives up.
///
/// A transfer whose manifest is not yet judged has a place of its own, of which there are two: who
/// announces transfers and does not bring their manifests, or brings such as are refused, takes
/// none of the places of others.
///
/// When a manifest is accepted, three others are kept. Those go first that were not used for a
/// week, then those with the fewest durable bytes, then those that were not used for the longest
/// time. So whoever may write without a signature has to bring as much of three images as another
/// sender has of one before that one goes. A transfer whose manifest a trusted key has signed goes
/// only for another such; where four of them are there, one that nobody signed is the fifth.
enum RetentionRule {
    /// How many transfers whose manifest was accepted are kept.
    static let countMax = 4
    /// How many transfers whose manifest was not yet accepted are kept: the one that is open, and
    /// one that was cut short.
    static let unjudgedCountMax = 2
    /// After how long without use a transfer is given up when another is accepted: nobody waits a
    /// week for a device that is out of reach. Nothing goes by its age alone, since the clock of a
    /// device may jump by years when it hears of the time.
    static let ageMaxNanoseconds = 7 * 86_400 * 1_000_000_000

    /// A transfer, other than the one that was just accepted.
    struct Candidate<ID> {
        let id: ID
        /// Whether a key that is trusted has signed it.
        let isTrusted: Bool
        let durableByteCount: Int
        /// When it was opened last, in nanoseconds.
        let usedAt: Int
    }

    /// Those that go so that no more than ``countMax`` are there.
    ///
    /// - Parameters:
    ///   - isTrusted: whether a trusted key has signed the one that was accepted.
    ///   - now: in nanoseconds. What was used later, as an unsteady clock has it, is not old.
    static func givenUp<ID>(
        _ candidates: [Candidate<ID>],
        forTrusted isTrusted: Bool,
        now: Int
    ) -> [ID] {
        let (old, others) = mayGo(candidates, forTrusted: isTrusted, now: now)
        let excess = max(0, candidates.count - old.count - (countMax - 1))
        return old + others.prefix(excess)
    }

    /// Those that may go for the one that was accepted, the first to go first.
    static func mayGo<ID>(
        _ candidates: [Candidate<ID>],
        forTrusted isTrusted: Bool,
        now: Int
    ) -> (old: [ID], others: [ID]) {
        var others = candidates.filter { isTrusted || !$0.isTrusted }
        let old = others.filter { now - $0.usedAt > ageMaxNanoseconds }
        others.removeAll { now - $0.usedAt > ageMaxNanoseconds }
        others.sort { first, second in
            (first.isTrusted ? 1 : 0, first.durableByteCount, first.usedAt)
                < (second.isTrusted ? 1 : 0, second.durableByteCount, second.usedAt)
        }
        return (old.map(\.id), others.map(\.id))
    }
}
