import CNATS

/// The messages of a stream, in their order, each once, as the server pushes them to a consumer
/// that nobody else has. One thread uses it.
///
/// libnats has an ordered subscription. But if it can't send that it begins again, it waits for a
/// thread that isn't there, and the process dies. Its other subscriptions wait for seconds for a
/// server that is away when they end. So this sends the requests itself, as ``ConsumerPull`` does.
final class ConsumerPush {
    /// The pause after which the server says that the consumer is there although nothing changes.
    private static let heartbeat = Duration.seconds(5)
    /// The server that had the consumer may have died while the connection is to another one.
    private static let silenceMax = heartbeat * 2

    /// Whether the server had nothing to deliver when this began.
    let beginsEmpty: Bool
    private let handle: ConnectionHandle
    private let subscription: CSubscription
    private let stream: String
    private let name: String
    /// The deliveries so far.
    private var count: UInt64 = 0
    private var lastHeard = ContinuousClock.now

    init(_ plan: WatchPlan, from start: FollowStart, _ handle: ConnectionHandle) throws(NATSError) {
        self.handle = handle
        stream = plan.stream
        let inbox = handle.newInbox()
        subscription = try handle.subscribe(inbox)
        try subscription.limit(
            messageCount: Limits.pendingMax,
            byteCount: Limits.pendingByteCountMax
        )
        (name, beginsEmpty) = try handle.push(
            plan.subject,
            of: plan.stream,
            from: start,
            headersOnly: plan.isHeadersOnly,
            to: inbox,
            heartbeat: Self.heartbeat
        )
    }

    /// Ends this without waiting for the server, which forgets the consumer by itself after a while
    /// if it doesn't hear of it.
    func end() {
        subscription.end()
        let subject = "$JS.API.CONSUMER.DELETE.\(stream).\(name)"
        try? handle.publish(subject, [], answers: handle.newInbox())
    }

    /// Whether a message waits in this process.
    var hasMore: Bool { subscription.hasMore }

    /// The next message, or `nil` if none comes in time.
    ///
    /// - Throws: ``NATSError/failed(_:)`` if a message is missing or the server is silent: what
    ///   comes then has to be asked for again.
    func next(within limit: Duration) throws(NATSError) -> PushedMessage? {
        guard let message = try subscription.next(within: limit) else {
            if .now - lastHeard > Self.silenceMax { throw .failed("no heartbeats of a consumer") }
            return nil
        }
        lastHeard = .now
        if let status = message.header("Status") {
            try take(message, status)
            return nil
        }
        let delivery = try message.delivery()
        count += 1
        guard delivery.number == count else { throw .failed("a pushed message is missing") }
        return PushedMessage(message: message, delivery: delivery)
    }

    /// Takes what the server says about the consumer.
    private func take(_ message: borrowing CMessage, _ status: String) throws(NATSError) {
        guard status == "100" else {
            throw .failed("a consumer ended: \(message.header("Description") ?? status)")
        }
        // It waits for an answer until more is on the way than it wants there to be.
        let answers = [message.answerSubject, message.header("Nats-Consumer-Stalled") ?? ""]
        for subject in answers where !subject.isEmpty { try handle.publish(subject, []) }
        if let last = message.header("Nats-Last-Consumer").flatMap({ UInt64($0) }), last > count {
            throw .failed("pushed messages are missing")
        }
    }
}

/// A message of a stream, and where it comes from.
struct PushedMessage: ~Copyable {
    let message: CMessage
    let delivery: CMessage.Delivery
}

/// Where a consumer begins.
enum FollowStart {
    case lastOfEachSubject
    case first
    case sequence(UInt64)
}
