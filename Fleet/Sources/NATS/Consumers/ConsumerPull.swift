import CNATS
import Synchronization

/// Asks a durable consumer for its messages. One thread uses it, except for the flag.
///
/// libnats has a pull subscription, which first asks the server what the consumer is. A client may
/// be permitted to fetch without being permitted to ask that, so this sends the two requests of a
/// fetch itself.
final class ConsumerPull: @unchecked Sendable {
    /// How long an answer may take to a request that the server answers at once.
    private static let answerLimit = Duration.seconds(1)
    /// How long the thread waits before it looks whether it should end.
    private static let look = Duration.milliseconds(100)

    private let handle: ConnectionHandle
    private let events: ConnectionEvents
    private let subscription: CSubscription
    private let subject: String
    private let inbox: String
    private var requestCount = 0
    private let isOver = Atomic(false)

    init(
        _ name: String,
        of stream: String,
        _ handle: ConnectionHandle,
        _ events: ConnectionEvents
    ) throws(NATSError) {
        self.handle = handle
        self.events = events
        subject = "$JS.API.CONSUMER.MSG.NEXT.\(stream).\(name)"
        inbox = handle.newInbox()
        subscription = try handle.subscribe(inbox + ".*")
    }

    /// Ends a call of ``fetch(_:within:)`` soon, and every later one at once.
    func end() { isOver.store(true, ordering: .relaxed) }

    // MARK: - On the thread

    func finish() { subscription.end() }

    func fetch(_ count: Int, within limit: Duration) throws(NATSError) -> [Delivered] {
        let present = try ask(#"{"batch":\#(count),"no_wait":true}"#, count, Self.answerLimit)
        guard present.isEmpty else { return present }
        let request = #"{"batch":1,"expires":\#(limit.nanoseconds)}"#
        return try ask(request, 1, limit + Self.answerLimit)
    }

    private func ask(
        _ request: String,
        _ count: Int,
        _ limit: Duration
    ) throws(NATSError) -> [Delivered] {
        let deadline = ContinuousClock.now + limit
        // The server forgets a request with the connection on which it came.
        let generation = events.generation
        requestCount += 1
        let answers = "\(inbox).\(requestCount)"
        try handle.publish(subject, Array(request.utf8), answers: answers)
        var messages: [Delivered] = []
        while messages.count < count, !isOver.load(ordering: .relaxed),
            generation == events.generation, ContinuousClock.now < deadline
        {
            do {
                guard let message = try subscription.next(within: Self.look) else { continue }
                // A message has the subject with which it was stored, and an answer that of its
                // request. One to an earlier request says nothing about this one.
                if message.subject == answers { break }
                if !message.subject.hasPrefix(inbox) { messages.append(try Delivered(message)) }
            } catch .disconnected, .noLeader {
                // There is no such consumer at present.
                pauseBriefly()
                break
            }
        }
        return messages
    }
}

/// A message that a consumer delivered.
struct Delivered: Sendable {
    let subject: String
    let payload: [UInt8]
    /// Whether it says that a key of a bucket was deleted.
    let isDeletion: Bool
    let delivery: CMessage.Delivery
    /// To what is sent that the message is done.
    let settlement: String

    init(_ message: borrowing CMessage) throws(NATSError) {
        delivery = try message.delivery()
        subject = message.subject
        payload = message.payload
        isDeletion = message.isDeletion
        settlement = message.answerSubject
    }
}
