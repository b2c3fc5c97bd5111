/// A value on its way to a peer that confirms it.
final class Indication: Sendable {
    /// Ends when those before it are over.
    let turn = ConditionWait<Void>()
    /// Ends when a peer has confirmed it.
    let confirmation = ConditionWait<Void>()

    /// Ends both waits; what they have already stays.
    func end(_ outcome: Result<Void, BlueZError>) {
        turn.end(outcome)
        confirmation.end(outcome)
    }
}
