package import FleetModel

/// Slows down whoever tries tokens: each address has ``triesMax`` tries, and gets one back every
/// ``pause``.
///
/// A token can't be guessed at any speed. This keeps a log of a mistaken script short, and shows
/// that somebody tries.
package struct LoginGuard: Sendable {
    package static let triesMax = 5
    package static let pause = Span.seconds(10)
    /// The addresses that are remembered; when there are more, the one that may try again first is
    /// forgotten.
    package static let addressesMax = 1_024

    /// When all tries of an address are back.
    private var debts: [String: Uptime] = [:]

    package init() {}

    /// Whether an address may try now. A try costs as much whether it succeeds or not, so that
    /// many at once don't all find a free one.
    package mutating func mayTry(_ address: String, at now: Uptime) -> Bool {
        let debt = max(debts[address] ?? now, now) + Self.pause
        let limit = (0..<Self.triesMax).reduce(now) { moment, _ in moment + Self.pause }
        guard debt <= limit else { return false }
        if debts[address] == nil, debts.count >= Self.addressesMax { forgetOne(at: now) }
        debts[address] = debt
        return true
    }

    /// Gives the tries back to an address that knew the token.
    package mutating func succeeded(_ address: String) { debts[address] = nil }

    private mutating func forgetOne(at now: Uptime) {
        debts = debts.filter { now < $0.value }
        if debts.count >= Self.addressesMax, let first = debts.min(by: { $0.value < $1.value }) {
            debts[first.key] = nil
        }
    }
}
