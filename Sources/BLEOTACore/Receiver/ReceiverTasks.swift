/// What a store has to do besides writing blocks, in the order in which it has to.
package struct ReceiverTasks: OptionSet, BitwiseCopyable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// To let a transfer rest.
    package static var release: ReceiverTasks { ReceiverTasks(rawValue: 1) }
    /// To forget a transfer.
    package static var discard: ReceiverTasks { ReceiverTasks(rawValue: 2) }
    /// What the state waits for.
    package static var question: ReceiverTasks { ReceiverTasks(rawValue: 4) }

    /// Whether the store has to let go of a session.
    package var hasRelease: Bool { !isDisjoint(with: [.release, .discard]) }

    /// Takes out what has to be done next; empty if there is nothing.
    mutating func takeNext() -> ReceiverTasks {
        let next = ReceiverTasks(rawValue: rawValue & (0 &- rawValue))
        subtract(next)
        return next
    }
}
