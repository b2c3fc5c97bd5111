#if !hasFeature(Embedded)
package import BLEOTACore
import BLEOTAWire

/// The progress of a receiver over all sessions of one link, and the time without progress. A host
/// that serves several peers uses this type so that no peer keeps the store from the others.
///
/// ```swift
/// progress.observe(receiver, at: clock.now)  // after each input, and at progress.deadline
/// if progress.isStalled { receiver.abort(.stalled, at: clock.now) }
/// ```
package struct ReceiverProgress: BitwiseCopyable {
    private let newsLimit: Microseconds
    private let furtherLimit: Microseconds
    /// The furthest acknowledged and durable positions since the link began, or since an image
    /// was last verified over it.
    private var furthest = FurthestPositions()
    private var placedCount: UInt64 = 0
    /// The time during which the peer had credit and no chunk was placed. The time that the
    /// store takes is not included, because it is not the peer's fault.
    private var withoutNews = Microseconds.zero
    /// The time during which there was a session without any progress past the furthest position.
    /// Here the store's time counts, because a peer could otherwise occupy the store by opening
    /// one session after another.
    private var withoutFurther = Microseconds.zero
    /// Whether the peer has been able to send since the last observation, and whether there has
    /// been a session.
    private var isPeersTurn = false
    private var isInSession = false
    private var observedAt: Instant

    /// - Parameters:
    ///   - newsLimit: how long the peer may go without sending a missing chunk. Default: 60 s.
    ///   - furtherLimit: how long the peer may go without passing its furthest position.
    ///     Default: 600 s.
    package init(
        newsLimit: Microseconds = .seconds(60),
        furtherLimit: Microseconds = .seconds(600),
        at now: Instant
    ) {
        self.newsLimit = newsLimit
        self.furtherLimit = max(furtherLimit, newsLimit)
        observedAt = now
    }

    //= TIME-5: This rule is for a receiver that serves several peers. The receiver MUST end a
    //= session with RESULT *stalled* in two cases: it has given credit, and there has been no news
    //= for 60 seconds; or it has not advanced further than ever for 600 seconds.
    /// Observes the receiver after an input, or when ``deadline`` has passed.
    package mutating func observe(_ receiver: borrowing Receiver, at now: Instant) {
        let elapsed = max(now - observedAt, .zero)
        observedAt = now
        if isPeersTurn { withoutNews = withoutNews + elapsed }
        if isInSession { withoutFurther = withoutFurther + elapsed }
        isPeersTurn = receiver.state == .receiving && receiver.hasCredit
        isInSession = receiver.isInSession
        notePlaced(receiver.statistics.dataFramesPlaced)
        if receiver.state == .receiving {
            noteReached(receiver.acknowledgedPosition, receiver.durablePosition)
        } else if case .finished(.verified) = receiver.phase {
            furthest = FurthestPositions()
            (withoutNews, withoutFurther) = (.zero, .zero)
        }
    }

    /// Whether the session must end now.
    package var isStalled: Bool {
        isInSession && (withoutNews >= newsLimit || withoutFurther >= furtherLimit)
    }

    /// The time of the next observation if there is no input before then, or `nil` while there
    /// is no session.
    package var deadline: Instant? {
        guard isInSession else { return nil }
        let left = furtherLimit - withoutFurther
        return observedAt + max(isPeersTurn ? min(left, newsLimit - withoutNews) : left, .zero)
    }

    private mutating func notePlaced(_ count: UInt64) {
        if count != placedCount { withoutNews = .zero }
        placedCount = count
    }

    private mutating func noteReached(
        _ acknowledged: TransferPosition,
        _ durable: TransferPosition
    ) {
        guard furthest.reach(acknowledged: acknowledged, durable: durable) else { return }
        (withoutNews, withoutFurther) = (.zero, .zero)
    }
}

extension Receiver {
    fileprivate var isInSession: Bool {
        switch state {
        case .idle, .requesting, .finished: false
        case .lookingUp, .receiving, .judging, .verifying: true
        }
    }
}
#endif
