/// The sender's view of one epoch: what was sent, what arrived, what is lost.
///
/// A ring in memory of the caller, indexed by the chunk index, from the cumulative
/// acknowledgement to at most `capacity` chunks past it.
struct InFlightTable: ~Copyable {
    /// What an ACK changed.
    struct Update: BitwiseCopyable {
        /// Chunks that are now known to have arrived and were not before.
        var newlyArrived: UInt32 = 0
        /// The latest-sent chunk among them that was in flight.
        var newest: SentChunk?
        /// Whether any of them asked for the ACK, other than as a probe.
        fileprivate var hasPoll = false
        /// The probes of chunks among them that were probed.
        fileprivate var probes = LatestTransmissions()
        /// The transmissions of the same chunks before they were probed.
        fileprivate var beforeProbes = LatestTransmissions()
        /// Whether a chunk that was taken for lost had not been: it arrived after one that was sent
        /// later.
        fileprivate(set) var wasOvertaken = false
        fileprivate let answeredUntil: Instant

        init(answeredUntil: Instant) { self.answeredUntil = answeredUntil }

        var isAnythingNew: Bool { newlyArrived > 0 }
    }

    private let ring: UnsafeMutableBufferPointer<SentChunk>
    private let chunkCount: UInt32
    /// The first chunk that is missing at the receiver.
    private(set) var cumulative: UInt32
    /// One past the highest chunk that was sent or shown as arrived.
    private(set) var end: UInt32
    private(set) var inFlightCount = 0
    /// How many chunks in flight have left the link, though no ACK says yet whether they
    /// arrived.
    private var leftLinkCount = 0
    /// When the last silence ended; see ``linkWasSilent(until:)``.
    private var silentUntil = Instant(microseconds: 0)
    private(set) var lostCount = 0
    private(set) var deliveredCount: UInt32 = 0
    /// All transmissions that were taken for lost.
    private(set) var lostTotal: UInt32 = 0
    /// Whether anything was overtaken, so that the link loses.
    private(set) var hasLost = false
    private var transmissionNext: UInt32 = 0
    private var latestArrived = LatestTransmissions()
    /// No chunk below this is lost; saves looking from the beginning each time.
    private var repairCursor: UInt32

    init(
        in ring: UnsafeMutableBufferPointer<SentChunk>,
        chunkCount: UInt32,
        cumulative: UInt32
    ) {
        precondition(ring.count > 0 && ring.count & (ring.count - 1) == 0)
        self.ring = ring
        self.chunkCount = chunkCount
        self.cumulative = cumulative
        end = cumulative
        repairCursor = cumulative
        ring.update(repeating: SentChunk())
    }

    /// How many chunks past the cumulative acknowledgement the table can follow.
    var capacity: Int { ring.count }

    var isComplete: Bool { cumulative == chunkCount }

    //= WINDOW-5: A sender SHOULD NOT count as in flight for its window a chunk that it would take
    //= as lost if the bitmap of the last ACK had not been cut before it ([REPAIR-1]), where it sent
    //= that chunk before a probe timeout of more than 500 ms.
    /// How many chunks the link may still hold: what a window bounds.
    var onLinkCount: Int { inFlightCount - leftLinkCount }

    /// Whether nothing of the object is left to send, if nothing of what is in flight is lost.
    var isAllSent: Bool { lostCount == 0 && end == chunkCount }

    /// Whether a chunk was sent again although only its ACK was late.
    func isProbed(_ index: UInt32) -> Bool { self[index].ambiguity == .isProbed }

    /// The first chunk that is lost; there must be one.
    var firstLost: UInt32 {
        var index = max(repairCursor, cumulative)
        while self[index].status != .lost { index += 1 }
        return index
    }

    /// The first chunk that was never sent, up to `edge` and what the table can follow; `nil` if
    /// there is none.
    func firstUnsent(below edge: UInt32) -> UInt32? {
        var index = end
        let limit = min(edge, chunkCount, cumulative + UInt32(capacity))
        while index < limit, self[index].status == .arrived { index += 1 }
        return index < limit ? index : nil
    }

    /// The oldest chunk in flight, if any.
    var oldestInFlight: UInt32? {
        guard inFlightCount > 0 else { return nil }
        var index = cumulative
        while self[index].status != .inFlight { index += 1 }
        return index
    }

    mutating func sent(_ index: UInt32, at now: Instant) {
        var chunk = self[index]
        chunk.isRepeated = chunk.status != .unsent
        if chunk.status == .lost { lostCount -= 1 }
        if chunk.status != .inFlight { inFlightCount += 1 }
        chunk.status = .inFlight
        switch chunk.ambiguity {
        case .none:
            chunk.isPoll = false
            chunk.transmission = transmissionNext
            chunk.transmissionBeforeProbes = transmissionNext
        case .isLate:
            chunk.ambiguity = .isProbed
            chunk.transmission = transmissionNext
        case .isProbed: break
        }
        chunk.deliveredWhenSent = deliveredCount
        chunk.sentAt = now
        transmissionNext &+= 1
        self[index] = chunk
        end = max(end, index + 1)
        if lostCount == 0 { repairCursor = end } else { repairCursor = max(repairCursor, index) }
    }

    /// What was sent just now has P.
    mutating func asked(with index: UInt32) {
        if self[index].ambiguity == .none { self[index].isPoll = true }
    }

    /// Everything below `cumulative`, and what `bitmap` shows past it, has arrived.
    ///
    /// - Parameters:
    ///   - answersPoll: whether P or POLL asked for this ACK.
    ///   - answeredUntil: a chunk that was sent again later than this was acknowledged too soon for
    ///     that; then it is the transmission before that arrived.
    mutating func arrived(
        cumulative newCumulative: UInt32,
        bitmap: ReceivedBitmap,
        answersPoll: Bool = false,
        answeredUntil: Instant = .never
    ) -> Update {
        var update = Update(answeredUntil: answeredUntil)
        // Past what was sent there is nothing to look at: the receiver held it from before.
        for index in cumulative..<max(cumulative, min(newCumulative, cumulative + UInt32(capacity)))
        {
            markArrived(index, &update)
            self[index] = SentChunk()
        }
        if newCumulative > cumulative { cumulative = newCumulative }
        end = max(end, cumulative)
        repairCursor = max(repairCursor, cumulative)
        markArrived(bitmap, after: newCumulative, &update)
        // A probe overtakes others only if it arrived itself, and not what was sent before it and
        // is late: it had P, and nothing else that is new did.
        let isOfProbes = answersPoll && !update.hasPoll
        latestArrived.note(isOfProbes ? update.probes : update.beforeProbes)
        return update
    }

    private mutating func markArrived(
        _ bitmap: ReceivedBitmap,
        after base: UInt32,
        _ update: inout Update
    ) {
        let count = UInt32(bitmap.endIndex)
        var bit: UInt32 = 0
        while bit < count {
            let index = UInt64(base) + 1 + UInt64(bit)
            if bitmap[Int(bit)], index >= cumulative, index < UInt64(cumulative) + UInt64(capacity)
            {
                markArrived(UInt32(index), &update)
            }
            bit += 1
        }
    }

    private mutating func markArrived(_ index: UInt32, _ update: inout Update) {
        let chunk = self[index]
        guard chunk.status != .arrived else { return }
        if chunk.status == .inFlight { endFlight(of: index) }
        if chunk.status == .lost {
            // It was not lost, so that its one transmission counts once.
            lostCount -= 1
            lostTotal &-= 1
            if chunk.ambiguity == .none { update.wasOvertaken = true }
        }
        if chunk.status != .unsent {
            deliveredCount &+= 1
            if chunk.isPoll { update.hasPoll = true }
            if chunk.ambiguity != .none {
                update.probes.note(chunk.transmission)
                update.beforeProbes.note(chunk.transmissionBeforeProbes)
            } else if chunk.isRepeated, chunk.sentAt > update.answeredUntil {
                update.wasOvertaken = true
            } else {
                latestArrived.note(chunk.transmission)
            }
            if chunk.status == .inFlight, chunk.transmission >= update.newest?.transmission ?? 0 {
                update.newest = chunk
            }
        }
        update.newlyArrived += 1
        self[index].status = .arrived
    }

    //= REPAIR-1: A sender MUST take a chunk as lost when a chunk whose latest transmission came
    //= after that of the first is acknowledged and the link keeps order, or when three such are and
    //= it does not, the latest of them sent at least as many transmissions later as the reach says;
    //= but no chunk past the end of a bitmap that fills its frame, which was cut there. Of an
    //= acknowledged chunk that was sent again under [REPAIR-3] or [REPAIR-5], the latest
    //= transmission counts only in an ACK that answers a poll and acknowledges for the first time
    //= no chunk that had P in a transmission under neither of them; in any other ACK the last
    //= transmission under neither counts.
    /// Marks as lost what was overtaken, and returns how many chunks that were. What was overtaken
    /// past the end of what is told no longer counts as on the link.
    ///
    /// - Parameter reportedEnd: one past the last chunk whose fate is told; the first missing one's
    ///   always is.
    @discardableResult
    mutating func detectLosses(by rule: LossRule, below reportedEnd: UInt32 = .max) -> Int {
        guard inFlightCount > 0, let latest = latestArrived[rank: 0],
            let overtaker = latestArrived[rank: rule.threshold - 1]
        else { return 0 }
        var count = 0
        for index in cumulative..<end
        where self[index].status == .inFlight && self[index].transmission < overtaker {
            let reach = self[index].sentAt < silentUntil ? 0 : rule.reach
            guard latest - self[index].transmission >= reach else { continue }
            guard index < max(reportedEnd, cumulative + 1) else {
                noteLeft(index)
                continue
            }
            markLost(index)
            self[index].ambiguity = .none
            hasLost = true
            count += 1
        }
        return count
    }

    /// Gives a chunk in flight up whose ACK is late, so that it is sent again.
    mutating func markLate(_ index: UInt32) {
        markLost(index)
        if self[index].ambiguity == .none { self[index].ambiguity = .isLate }
    }

    /// Marks as lost what was sent at or before a moment, and is missing in an ACK that would tell
    /// of it.
    ///
    /// - Parameter reportedEnd: as of ``detectLosses(by:below:)``.
    mutating func markMissing(sentUntil moment: Instant, below reportedEnd: UInt32) {
        for index in cumulative..<min(end, max(reportedEnd, cumulative + 1))
        where self[index].status == .inFlight && self[index].sentAt <= moment {
            markLost(index)
            self[index].ambiguity = .none
            hasLost = true
        }
    }

    private mutating func markLost(_ index: UInt32) {
        precondition(self[index].status == .inFlight)
        self[index].status = .lost
        endFlight(of: index)
        lostCount += 1
        lostTotal &+= 1
        repairCursor = min(repairCursor, index)
    }

    /// Nothing arrived for longer than a queue is silent: it does not hold what was sent before.
    mutating func linkWasSilent(until moment: Instant) { silentUntil = moment }

    private mutating func noteLeft(_ index: UInt32) {
        guard !self[index].hasLeftLink, self[index].sentAt < silentUntil else { return }
        self[index].hasLeftLink = true
        leftLinkCount += 1
    }

    private mutating func endFlight(of index: UInt32) {
        inFlightCount -= 1
        if self[index].hasLeftLink { leftLinkCount -= 1 }
        self[index].hasLeftLink = false
    }

    private subscript(index: UInt32) -> SentChunk {
        get { ring[Int(index) & (ring.count - 1)] }
        nonmutating set { ring[Int(index) & (ring.count - 1)] = newValue }
    }
}
