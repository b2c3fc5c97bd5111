@testable import BLEOTACore

/// A sender's window over a link of connection events, in steps of 0.1 ms.
///
/// An event carries a chunk each `spacing` until nothing waits, then it is over; the answer to a
/// chunk that asked for one goes in the event that goes on, or in the next.
final class EventLink {
    var interval: Microseconds
    var spacing: Microseconds
    /// What the receiver takes before it answers.
    var answerDelay = Microseconds.milliseconds(2)
    private(set) var window: AutomaticWindow
    private(set) var delivered = 0
    private(set) var answerCount = 0
    private(set) var queueMax = 0
    private(set) var now = Instant(microseconds: 0)
    private var idle = BaseRoundTrip()
    private let ring: UnsafeMutableBufferPointer<SentChunk>
    private var flight: InFlightTable
    private var queue: [(index: UInt32, asks: Bool)] = []
    private var answers: [(at: Instant, cumulative: UInt32)] = []
    private var sentSinceAsking = 0
    private var nextEvent = Instant(microseconds: 0)
    private var nextService: Instant?

    init(interval: Microseconds, perEvent: Int) {
        self.interval = interval
        spacing = Microseconds(interval.rawValue / Int64(perEvent))
        idle.opened(after: Microseconds(interval.rawValue * 3 / 2))
        window = AutomaticWindow(baseRoundTrip: idle, frameByteCount: 244)
        ring = .allocate(capacity: 1_024)
        ring.initialize(repeating: SentChunk())
        flight = InFlightTable(in: ring, chunkCount: .max, cumulative: 0)
    }

    deinit { ring.deallocate() }

    /// Forgets the longest queue so far.
    func resetQueueMax() { queueMax = 0 }

    /// Runs for a while; returns how many chunks came over in it.
    @discardableResult
    func run(_ span: Microseconds, isLimited: Bool = false) -> Int {
        let before = delivered
        let end = now + span
        while now < end {
            carry()
            answer(isLimited: isLimited)
            send()
            queueMax = max(queueMax, queue.count)
            now = now + Microseconds(100)
        }
        return delivered - before
    }

    private func carry() {
        if nextService == nil, now >= nextEvent {
            nextService = now
            nextEvent = now + interval
        }
        guard let moment = nextService, now >= moment else { return }
        guard !queue.isEmpty else {
            nextService = nil
            return
        }
        let chunk = queue.removeFirst()
        delivered += 1
        nextService = moment + spacing
        guard chunk.asks else { return }
        let ready = now + answerDelay
        // What follows keeps the event open for the answer.
        let isOpen = now + spacing * queue.count >= ready
        answers.append((isOpen ? ready : max(nextEvent, ready) + spacing, chunk.index + 1))
    }

    private func answer(isLimited: Bool) {
        while let first = answers.first, first.at <= now {
            answers.removeFirst()
            answerCount += 1
            let update = flight.arrived(cumulative: first.cumulative, bitmap: .init())
            guard let newest = update.newest else { continue }
            idle.chunkAnswered(after: now - newest.sentAt)
            window.acknowledged(
                RateSample(
                    now: now,
                    deliveredTotal: flight.deliveredCount,
                    leftTotal: flight.deliveredCount,
                    deliveredWhenSent: newest.deliveredWhenSent,
                    isSenderLimited: isLimited,
                    roundTrip: now - newest.sentAt,
                    baseRoundTrip: idle.span
                )
            )
        }
    }

    private func send() {
        window.update(at: now)
        while window.opensAt == nil, flight.inFlightCount < window.chunkCount,
            let index = flight.firstUnsent(below: .max)
        {
            flight.sent(index, at: now)
            window.chunkSent(at: now)
            sentSinceAsking += 1
            let asks =
                sentSinceAsking >= window.pollInterval
                || flight.inFlightCount >= window.chunkCount
            if asks { sentSinceAsking = 0 }
            queue.append((index, asks))
        }
    }
}
