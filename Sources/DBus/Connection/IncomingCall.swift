import Synchronization

/// A call to a local object's method. Only the first reply to it counts.
///
/// A reply is lost if the bus has gone away or the connection has been closed.
public struct IncomingCall: Sendable {
    /// The message of the call.
    public let message: BusMessage
    private let gate = Gate()
    private let answer: @Sendable (Answer) -> Void

    /// The state shared by all copies of a call.
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

    /// Replies with these arguments, unless the caller expects no reply.
    ///
    /// A descriptor must stay open until it has been sent, so release it instead of closing it.
    public func reply(_ body: [BusValue] = []) { finish(.body(body)) }

    /// Replies with an error, unless the caller expects no reply.
    ///
    /// - Parameters:
    ///   - name: the error name, such as `org.bluez.Error.NotSupported`.
    ///   - text: the description of the error, for a person.
    public func fail(_ name: String, _ text: String = "") {
        finish(.error(name: name, text: text))
    }

    private func finish(_ answer: Answer) {
        guard !gate.isAnswered.exchange(true, ordering: .relaxed) else { return }
        self.answer(answer)
    }
}
