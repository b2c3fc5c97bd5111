/// What a store has to do besides writing blocks, in the order in which it has to.
struct ReceiverTasks: OptionSet, BitwiseCopyable {
    let rawValue: UInt8

    /// To let a transfer rest.
    static var release: ReceiverTasks { ReceiverTasks(rawValue: 1) }
    /// To forget a transfer.
    static var discard: ReceiverTasks { ReceiverTasks(rawValue: 2) }
    /// What the state waits for.
    static var question: ReceiverTasks { ReceiverTasks(rawValue: 4) }

    /// Whether the store has to let go of a session.
    var hasRelease: Bool { !isDisjoint(with: [.release, .discard]) }

    /// Takes out what has to be done next; empty if there is nothing.
    mutating func takeNext() -> ReceiverTasks {
        let next = ReceiverTasks(rawValue: rawValue & (0 &- rawValue))
        subtract(next)
        return next
    }
}
