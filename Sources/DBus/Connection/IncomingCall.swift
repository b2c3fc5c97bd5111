import Synchronization

/// A call of a method of one of our objects, to be answered once: the first answer counts.
///
/// An answer after the bus went away, or after the connection was closed, is lost.
public struct IncomingCall: Sendable {
    /// What came.
    public let message: BusMessage
    private let gate = Gate()
    private let answer: @Sendable (Answer) -> Void

    /// Is shared by all copies of a call.
    private final class Gate: Sendable {
        let isAnswered = Atomic(false)
    }

    enum Answer: Sendable {
        case body([BusValue])
        case error(name: String, text: String)
    }

    init(_ message: BusMessage, answer: @escaping @Sendable (Answer) -> Void) {
        self.message = message
        self.answer = answer
    }

    /// Answers that it is done. Does nothing if the caller wants no answer.
    ///
    /// A descriptor must stay open until it has been sent: drop it instead of closing it.
    public func reply(_ body: [BusValue] = []) { finish(.body(body)) }

    /// Answers that it failed. Does nothing if the caller wants no answer.
    ///
    /// - Parameter name: such as `org.bluez.Error.NotSupported`.
    public func fail(_ name: String, _ text: String = "") {
        finish(.error(name: name, text: text))
    }

    private func finish(_ answer: Answer) {
        guard !gate.isAnswered.exchange(true, ordering: .relaxed) else { return }
        self.answer(answer)
    }
}
