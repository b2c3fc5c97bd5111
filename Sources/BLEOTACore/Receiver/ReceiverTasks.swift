/// The tasks of a store other than writing blocks, in the order in which they must be done.
package struct ReceiverTasks: OptionSet, BitwiseCopyable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Release a transfer and keep the durable data.
    package static var release: ReceiverTasks { ReceiverTasks(rawValue: 1) }
    /// Discard a transfer, durable or not.
    package static var discard: ReceiverTasks { ReceiverTasks(rawValue: 2) }
    /// Do the work that the current state waits for.
    package static var question: ReceiverTasks { ReceiverTasks(rawValue: 4) }

    /// Whether the store must release a session.
    package var hasRelease: Bool { !isDisjoint(with: [.release, .discard]) }

    /// Removes and returns the next task, or returns the empty set if there is none.
    mutating func takeNext() -> ReceiverTasks {
        let next = ReceiverTasks(rawValue: rawValue & (0 &- rawValue))
        subtract(next)
        return next
    }
}
