/// Whether a gateway may speak under its name, which an operator may have given to two by mistake.
///
///     asked ──nobody has said anything, or this gateway has, or the other takes no devices──▶ own
///       └──another has──▶ watched ──it says something new──▶ taken
///                            └──it is silent for 45 s──▶ own ──another has said something──▶ taken
///
/// The younger of two gives way: an operator who makes the mistake sees that the new one doesn't
/// start, and the old one, which may be in the middle of its pushes, works on. One that was away for
/// so long that another has taken its place ends when it is back.
package struct NameClaim: Sendable {
    package enum Verdict: Sendable, Hashable {
        case own
        case taken
        /// Ask again.
        case unknown
    }

    private let instance: UInt64
    private let silenceMax: Span
    private var isOwn = false
    private var seen: (status: GatewayStatus, since: Uptime)?

    package init(_ instance: UInt64, silenceMax: Span = GatewayStatus.silenceMax) {
        self.instance = instance
        self.silenceMax = silenceMax
    }

    /// Takes in the last status under the name; `nil` if there is none.
    ///
    /// - Parameter now: by a clock that nobody sets. The moments in statuses are those of others.
    package mutating func see(_ status: GatewayStatus?, at now: Uptime) -> Verdict {
        guard let status, status.instance != instance, status.places > 0 else {
            isOwn = true
            return .own
        }
        if let seen, seen.status == status {
            guard isOwn || now >= seen.since + silenceMax else { return .unknown }
            // It is the one whose place this gateway takes.
            isOwn = true
            return .own
        }
        let isNews = isOwn || seen != nil
        seen = (status, now)
        return isNews ? .taken : .unknown
    }
}
