/// An indication that is queued or awaits its confirmation.
final class Indication: Sendable {
    /// Ends when all earlier indications have finished.
    let turn = ConditionWait<Void>()
    /// Ends when a peer has confirmed the indication.
    let confirmation = ConditionWait<Void>()

    /// Ends both waits, unless they have already ended.
    func end(_ outcome: Result<Void, BlueZError>) {
        turn.end(outcome)
        confirmation.end(outcome)
    }
}
