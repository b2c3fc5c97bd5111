import BLEOTACore

/// Numbers requests, and repeats the unanswered request. Uploads share the numbers, but repeat
/// their requests themselves.
struct SMPExchange: Sendable {
    /// A request is sent again after this pause, which doubles with each repetition, in case it was
    /// lost.
    private static let pauseFirst = Microseconds.seconds(2)

    private struct Pending {
        let request: SMPRequest
        let sequence: UInt8
        var sendAt: Instant
        var pause: Microseconds
        let askedAt: Instant
    }

    private var pending: Pending?
    private var lastSequence: UInt8 = 0

    /// The sequence number of the next request.
    var nextSequence: UInt8 { lastSequence &+ 1 }

    @discardableResult
    mutating func takeSequence() -> UInt8 {
        lastSequence &+= 1
        return lastSequence
    }

    /// Takes a request to send, and forgets the one before it.
    mutating func ask(_ request: SMPRequest, at now: Instant) {
        pending = Pending(
            request: request,
            sequence: takeSequence(),
            sendAt: now,
            pause: Self.pauseFirst,
            askedAt: now
        )
    }

    mutating func forget() { pending = nil }

    /// The request to send now, if any.
    mutating func takeDue(at now: Instant) -> (request: SMPRequest, sequence: UInt8)? {
        guard let due = pending, now >= due.sendAt else { return nil }
        pending?.sendAt = now + due.pause
        pending?.pause = due.pause * 2
        return (due.request, due.sequence)
    }

    /// When ``takeDue(at:)`` has a request; `nil` if nothing is unanswered.
    var deadline: Instant? { pending?.sendAt }

    /// How long the request has been unanswered; zero if there is none.
    func silence(at now: Instant) -> Microseconds { pending.map { now - $0.askedAt } ?? .zero }

    /// Returns the request that this reply answers. The request is then no longer pending.
    mutating func take(_ reply: SMPReply) -> SMPRequest? {
        guard let asked = pending,
            reply.answers(asked.request.expectedReply(sequence: asked.sequence))
        else { return nil }
        pending = nil
        return asked.request
    }
}
