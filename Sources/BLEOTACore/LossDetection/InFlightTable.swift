/// The sender's view of one epoch: which chunks have been sent, have arrived or are lost.
///
/// The table is a ring in memory that the caller provides, indexed by the chunk index. It
/// covers the chunks from the cumulative acknowledgement to at most `capacity` chunks past it.
struct InFlightTable: ~Copyable {
    /// The changes that an ACK made.
    struct Update: BitwiseCopyable {
        /// The number of chunks that the ACK acknowledges for the first time.
        var newlyArrived: UInt32 = 0
        /// The most recently sent of the newly arrived chunks that were in flight.
        var newest: SentChunk?
        /// Whether any of these chunks requested an ACK in a transmission that was not a probe.
        fileprivate var hasPoll = false
        /// The first probes of those chunks that were probed.
        fileprivate var probes = LatestTransmissions()
        /// The latest regular transmissions of the same chunks.
        fileprivate var beforeProbes = LatestTransmissions()
        /// Whether a chunk that was considered lost arrived after all, later than a chunk that
        /// was sent after it.
        fileprivate(set) var wasOvertaken = false
        fileprivate let answeredUntil: Instant

        init(answeredUntil: Instant) { self.answeredUntil = answeredUntil }

        var isAnythingNew: Bool { newlyArrived > 0 }
    }

    private let ring: UnsafeMutableBufferPointer<SentChunk>
    private let chunkCount: UInt32
    /// The first chunk that is missing at the receiver.
    private(set) var cumulative: UInt32
    /// One past the highest chunk that was sent or reported as arrived.
    private(set) var end: UInt32
    private(set) var inFlightCount = 0
    /// The number of chunks in flight that have left the link, although no ACK has yet shown
    /// whether they arrived.
    private var leftLinkCount = 0
    /// The end of the last silence; see ``linkWasSilent(until:)``.
    private var silentUntil = Instant(microseconds: 0)
    private(set) var lostCount = 0
    private(set) var deliveredCount: UInt32 = 0
    /// The number of transmissions that were considered lost.
    private var lostTotal: UInt32 = 0
    /// Those of them that were considered lost while the link seemed to keep order.
    private var lostInOrder: UInt32 = 0
    /// Whether an ACK has shown that a chunk was lost. Timeouts do not count.
    private(set) var hasLost = false
    private var transmissionNext: UInt32 = 0
    private var latestArrived = LatestTransmissions()
    /// No chunk below this index is lost. The cursor saves searching from the beginning each
    /// time.
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

    /// The number of chunks past the cumulative acknowledgement that the table can track.
    var capacity: Int { ring.count }

    var isComplete: Bool { cumulative == chunkCount }

    //= WINDOW-5: A sender SHOULD NOT count a chunk as in flight for its window if two conditions
    //= hold: it sent the chunk before a probe timeout of more than 500 ms; and [REPAIR-1] would
    //= treat the chunk as lost if that rule had no exception.
    /// The number of chunks that may still be on the link. The window limits this number.
    var onLinkCount: Int { inFlightCount - leftLinkCount }

    /// Whether nothing of the object is left to send, assuming that no chunk in flight is lost.
    var isAllSent: Bool { lostCount == 0 && end == chunkCount }

    /// Whether a chunk was sent again as a probe because its ACK was late.
    func isProbed(_ index: UInt32) -> Bool { self[index].ambiguity == .isProbed }

    /// The first lost chunk. At least one chunk must be lost.
    var firstLost: UInt32 {
        var index = max(repairCursor, cumulative)
        while self[index].status != .lost { index += 1 }
        return index
    }

    /// Returns the first chunk below `edge` that was never sent and that the table can track,
    /// or `nil` if there is none.
    func firstUnsent(below edge: UInt32) -> UInt32? {
        var index = end
        let limit = min(edge, chunkCount, cumulative + UInt32(capacity))
        while index < limit, self[index].status == .arrived { index += 1 }
        return index < limit ? index : nil
    }

    /// The chunk in flight with the lowest index, if any.
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

    /// Records that the chunk that was just sent has P.
    mutating func asked(with index: UInt32) {
        if self[index].ambiguity == .none { self[index].isPoll = true }
    }

    /// Records that all chunks below `cumulative`, and those that `bitmap` shows past it, have
    /// arrived.
    ///
    /// - Parameters:
    ///   - answersPoll: whether the ACK answers P or POLL.
    ///   - answeredUntil: the latest time of a transmission that this ACK can answer. If a
    ///     chunk was sent again after this time, the ACK is for an earlier transmission of that
    ///     chunk.
    mutating func arrived(
        cumulative newCumulative: UInt32,
        bitmap: ReceivedBitmap,
        answersPoll: Bool = false,
        answeredUntil: Instant = .never
    ) -> Update {
        var update = Update(answeredUntil: answeredUntil)
        // Chunks past the table's capacity were never sent: the receiver already held them.
        for index in cumulative..<max(cumulative, min(newCumulative, cumulative + UInt32(capacity)))
        {
            markArrived(index, &update)
            self[index] = SentChunk()
        }
        if newCumulative > cumulative { cumulative = newCumulative }
        end = max(end, cumulative)
        repairCursor = max(repairCursor, cumulative)
        markArrived(bitmap, after: newCumulative, &update)
        // A probe counts as overtaking only if the probe itself arrived, rather than a late,
        // earlier transmission of its chunk. The ACK proves this if it answers a poll and no
        // other new chunk had P.
        //= REPAIR-9: For [REPAIR-1], a sender MUST count an acknowledged chunk as sent at its
        //= latest regular transmission.
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
            // The chunk was not lost. Its latest transmission must not count both as lost and as
            // delivered.
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

    //= REPAIR-1: An acknowledged chunk B *overtakes* a chunk A in flight if B was sent after the
    //= latest transmission of A. If the link keeps order, a sender MUST treat a chunk as lost when
    //= one chunk has overtaken it. If the link does not keep order, a sender MUST treat a chunk as
    //= lost when three chunks have overtaken it, and the highest transmission number of the three
    //= is greater than that of the chunk by at least the reach of [REPAIR-8].
    /// Marks overtaken chunks as lost, and returns their number. An overtaken chunk past the
    /// reported range is not marked. If it was sent before the last silence, it no longer
    /// counts as on the link.
    ///
    /// - Parameter reportedEnd: one past the last chunk whose state is reported. The state of
    ///   the first missing chunk is always reported.
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
            markLost(index, isShown: true)
            count += 1
        }
        return count
    }

    /// Returns the number of transmissions that have left the link's queue. Losses count only until
    /// the link turns out to reorder. From then on, an overtaken chunk may still arrive.
    mutating func leftTotal(keepsOrder: Bool) -> UInt32 {
        if keepsOrder { lostInOrder = lostTotal }
        return deliveredCount &+ lostInOrder
    }

    /// Marks a chunk in flight as lost because its ACK is late, so that it is sent again.
    mutating func markLate(_ index: UInt32) {
        markLost(index, isShown: false)
        if self[index].ambiguity == .none { self[index].ambiguity = .isLate }
    }

    /// Marks as lost the chunks that were sent at or before a moment and are missing from an
    /// ACK that would show them.
    ///
    /// - Parameter reportedEnd: one past the last chunk whose state is reported, as for
    ///   ``detectLosses(by:below:)``.
    mutating func markMissing(sentUntil moment: Instant, below reportedEnd: UInt32) {
        for index in cumulative..<min(end, max(reportedEnd, cumulative + 1))
        where self[index].status == .inFlight && self[index].sentAt <= moment {
            markLost(index, isShown: true)
        }
    }

    /// - Parameter isShown: whether an ACK shows that the chunk was lost.
    private mutating func markLost(_ index: UInt32, isShown: Bool) {
        precondition(self[index].status == .inFlight)
        self[index].status = .lost
        endFlight(of: index)
        lostCount += 1
        lostTotal &+= 1
        repairCursor = min(repairCursor, index)
        if isShown { (self[index].ambiguity, hasLost) = (.none, true) }
    }

    /// Records a silence that was longer than any queue can cause. Chunks sent before its end are
    /// no longer in a queue.
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
