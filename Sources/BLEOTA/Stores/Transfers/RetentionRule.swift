/// Decides which unfinished transfers a store discards.
///
/// There are two separate places for transfers whose manifest has not been judged yet. A peer that
/// announces transfers without sending their manifests, or whose manifests are refused, therefore
/// takes no place from other transfers.
///
/// When a manifest is accepted, at most three other transfers are kept. Transfers that have not
/// been used for a week are discarded first, then those with the fewest durable bytes; among
/// equals, the longest unused goes first. To have another sender's transfer discarded, a sender
/// without a trusted signature must therefore send at least as many bytes of each of three images
/// as the other sender has sent of its image. A transfer whose manifest a trusted key has signed
/// gives way only to another such transfer; if there are four of them, an unsigned transfer is kept
/// as the fifth.
enum RetentionRule {
    /// The maximum number of transfers with an accepted manifest.
    static let countMax = 4
    /// The maximum number of transfers without an accepted manifest: the open one, and one that was
    /// cut short.
    static let unjudgedCountMax = 2
    /// How long a transfer may be unused before it is discarded when another is accepted: nobody
    /// waits a week for a device that is out of reach. Age alone is never a reason, because a
    /// device's clock may jump by years when it is set.
    static let ageMaxNanoseconds = 7 * 86_400 * 1_000_000_000

    /// A transfer other than the one that was just accepted.
    struct Candidate<ID> {
        let id: ID
        /// Whether a trusted key has signed the transfer's manifest.
        let isTrusted: Bool
        let durableByteCount: Int
        /// When the transfer was last opened, in nanoseconds.
        let usedAt: Int
    }

    /// The transfers to discard so that at most ``countMax`` remain.
    ///
    /// - Parameters:
    ///   - isTrusted: whether a trusted key has signed the accepted manifest.
    ///   - now: the current time in nanoseconds. A transfer whose last use is in the future, as
    ///     can happen if the clock is set back, is not old.
    static func givenUp<ID>(
        _ candidates: [Candidate<ID>],
        forTrusted isTrusted: Bool,
        now: Int
    ) -> [ID] {
        let (old, others) = mayGo(candidates, forTrusted: isTrusted, now: now)
        let excess = max(0, candidates.count - old.count - (countMax - 1))
        return old + others.prefix(excess)
    }

    /// The transfers that may be discarded in favor of the accepted one, in the order of
    /// discarding.
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
