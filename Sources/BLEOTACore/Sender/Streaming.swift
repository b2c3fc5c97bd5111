extension SenderState {
    /// Chunks of one object are being sent in one epoch.
    struct Streaming: ~Copyable {
        let object: ObjectID
        let epoch: Epoch
        private let header: PseudoHeader
        let packetizer: Packetizer
        private var flight: InFlightTable
        private var window: SendWindow
        /// The first chunk that must not be sent.
        private var edge: UInt32
        private var isCreditUnlimited: Bool

        /// The number of chunks sent since the last request for an ACK.
        private var sentSincePoll = 0
        private var probeTimeoutsInARow = 0
        /// The number of times that the pause between probes is doubled. A timely acknowledgement
        /// resets it. An acknowledgement that took two timeouts or more and covers only repeated
        /// chunks reduces it by one. Karn's algorithm would wait for the ACK of a chunk that was
        /// sent only once. If a queue drops the end of each burst, only repeated chunks arrive, and
        /// that wait would never end.
        private var pauseDoublings = 0
        /// After this many doublings, the shortest pause of 40 ms has become longer than the limit
        /// of 5 s.
        private static var pauseDoublingsMax: Int { 7 }
        /// The time at which a frame must be sent to provoke an ACK.
        private var probeDeadline: Instant?
        /// The timer for POLL while the sender has no credit.
        private var creditPoll: Backoff?
        private var isPollDue = false
        /// Whether the sender has run out of credit or chunks since the last ACK.
        private var ranOutOfChunks = false
        /// The number of chunks to resend with P after a probe timeout, regardless of the window.
        private var probesDue = 0
        /// In timed bursts, chunks that were sent before this time and are missing from the
        /// answer to POLL are lost.
        private var askedAboutUntil: Instant?
        private var wasAnsweredSinceProbe = false
        /// Whether polls are answered with ACKs of an older epoch. A receiver that restarted and
        /// then received a late OPEN of this session begins its epochs anew. Only opening again
        /// resolves this.
        private var wasContradictedSinceProbe = false
        /// Whether the last ACK may have been too short to show all chunks that had arrived.
        private var isCut = false
        /// The time of a probe timeout that followed an ACK too short to show all chunks that had
        /// arrived. A chunk sent before then may have arrived long before it is acknowledged.
        private var unreportedUntil: Instant?

        /// Adopts the first ACK of an epoch. Returns `nil` if the ACK is inconsistent.
        init?(
            adopting acknowledgement: Acknowledgement,
            context: inout SenderContext
        ) {
            let packetizer = Packetizer(
                objectByteCount: context.transfer.byteCount(of: acknowledgement.object),
                chunkSize: context.chunkSize
            )
            guard let cumulative = packetizer.cumulative(of: acknowledgement) else { return nil }
            object = acknowledgement.object
            epoch = acknowledgement.epoch
            header = PseudoHeader(
                session: context.session,
                object: acknowledgement.object,
                epoch: acknowledgement.epoch
            )
            self.packetizer = packetizer
            flight = InFlightTable(
                in: context.ring,
                chunkCount: packetizer.chunkCount,
                cumulative: cumulative
            )
            window = context.window(for: acknowledgement.credit)
            isCreditUnlimited = acknowledgement.credit == .unlimited
            edge = packetizer.edge(of: acknowledgement, cumulative: cumulative)
            _ = flight.arrived(cumulative: cumulative, bitmap: acknowledgement.bitmap)
            context.statistics.acknowledgementsHeard += 1
            context.record(acknowledgement, cumulative: cumulative)
            rearm(context: context)
        }

        /// The action that a passed deadline requires.
        enum TimeoutAction {
            case stay
            /// Chunks have no effect, so echo probes must determine which frame lengths the link
            /// carries.
            case discoverSize
            /// All answers are of older epochs, so the sender must open again.
            case reopen
        }

        var isComplete: Bool { flight.isComplete }

        //= ACK-10: Within an epoch, a sender MUST treat an ACK as late if its cumulative
        //= acknowledgement, its edge or its durable byte count is below that of an earlier ACK.
        /// Handles an ACK of this epoch. Returns false if the ACK is inconsistent.
        mutating func handle(
            _ acknowledgement: Acknowledgement,
            context: inout SenderContext
        ) -> Bool {
            guard let cumulative = packetizer.cumulative(of: acknowledgement) else { return false }
            context.statistics.acknowledgementsHeard += 1
            wasAnsweredSinceProbe = true
            context.record(acknowledgement, cumulative: cumulative)
            edge = max(edge, packetizer.edge(of: acknowledgement, cumulative: cumulative))
            if acknowledgement.credit == .unlimited, !isCreditUnlimited {
                isCreditUnlimited = true
                window = context.window(for: .unlimited)
            }
            let firstMissing = flight.cumulative
            let update = flight.arrived(
                cumulative: cumulative,
                bitmap: acknowledgement.bitmap,
                answersPoll: acknowledgement.answersPoll,
                answeredUntil: answeredUntil(by: acknowledgement, context)
            )
            if update.wasOvertaken { context.keepsOrder = false }
            // The arrival of a short last chunk says nothing about full-size chunks.
            if cumulative > firstMissing,
                packetizer.byteRange(ofChunk: firstMissing).count == context.chunkSize.byteCount
            {
                context.isChunkSizeProven = true
            }
            context.statistics.chunksAcknowledged += UInt64(update.newlyArrived)
            if update.isAnythingNew {
                progressed(update, acknowledgement, context: &context)
            }
            let reportedEnd = context.reportedEnd(of: acknowledgement, cumulative: cumulative)
            isCut = reportedEnd < .max
            let credit = Int(edge - flight.cumulative)
            flight.detectLosses(by: window.lossRule(context, credit: credit), below: reportedEnd)
            //= REPAIR-7: If the answer to a POLL of [CREDIT-5] shows a chunk as missing, and the
            //= sender sent this chunk before the wait that led to that POLL, the sender MUST send
            //= the chunk again before any new chunk.
            if acknowledgement.answersPoll, let moment = askedAboutUntil,
                cumulative == flight.cumulative
            {
                flight.markMissing(sentUntil: moment, below: reportedEnd)
                askedAboutUntil = nil
            }
            let inFlight = flight.onLinkCount
            window.update(inFlight: inFlight, isRepairing: flight.lostCount > 0, at: context.now)
            if sentSincePoll > 0, flight.inFlightCount > 0, window.isStopped(inFlight: inFlight) {
                (isPollDue, sentSincePoll) = (true, 0)
            }
            rearm(context: context)
            return true
        }

        /// Returns the time of the latest transmission that the ACK can answer.
        private func answeredUntil(
            by acknowledgement: Acknowledgement,
            _ context: SenderContext
        ) -> Instant {
            guard
                let least = context.roundTrip.leastPlausible(keepsOrder: context.keepsOrder)
            else { return context.now }
            let delay = Microseconds.milliseconds(Int(acknowledgement.delayMilliseconds))
            return context.now + (.zero - delay - least)
        }

        /// Notes an ACK of an older epoch, which shows only that the peer is present.
        mutating func contradicted(by acknowledgement: Acknowledgement) {
            if acknowledgement.answersPoll { wasContradictedSinceProbe = true }
        }

        private mutating func progressed(
            _ update: InFlightTable.Update,
            _ acknowledgement: Acknowledgement,
            context: inout SenderContext
        ) {
            context.progress.gotNews(at: context.now)
            let isOnTime = probeTimeoutsInARow < 2 || update.newest?.isRepeated == false
            pauseDoublings = isOnTime ? 0 : max(pauseDoublings - 1, 0)
            probeTimeoutsInARow = 0
            probeDeadline = nil
            probesDue = 0
            askedAboutUntil = nil
            guard let newest = update.newest else { return }
            //= REPAIR-4: A sender MUST NOT take a round-trip sample in any of three cases: it sent
            //= the chunk more than once; the delay in the ACK is 255; the chunk was *hidden*. A
            //= chunk was hidden if a probe timeout has passed since the chunk was sent, and the
            //= bitmap of the last ACK before that timeout filled its frame.
            var roundTrip: Microseconds?
            let isUnreported = unreportedUntil.map { newest.sentAt < $0 } ?? false
            if !newest.isRepeated, !isUnreported, acknowledgement.delayMilliseconds < 255 {
                let delay = Microseconds.milliseconds(Int(acknowledgement.delayMilliseconds))
                let sample = max(context.now - newest.sentAt - delay, .zero)
                context.roundTrip.record(sample)
                roundTrip = sample
                context.baseRoundTrip.chunkAnswered(after: sample)
            }
            defer { ranOutOfChunks = false }
            window.acknowledged(
                RateSample(
                    now: context.now,
                    deliveredTotal: flight.deliveredCount,
                    leftTotal: flight.leftTotal(keepsOrder: context.keepsOrder),
                    deliveredWhenSent: newest.deliveredWhenSent,
                    isSenderLimited: ranOutOfChunks,
                    roundTrip: roundTrip,
                    baseRoundTrip: context.baseRoundTrip.span
                )
            )
        }

        var deadline: Instant? {
            earlier(earlier(probeDeadline, creditPoll?.deadline), window.deadline)
        }

        /// Whether chunks are sent by the clock, regardless of acknowledgements.
        private var sendsByClock: Bool { window.isTimed && nextChunk() != nil }

        /// Sets the timers that the current situation requires.
        private mutating func rearm(context: SenderContext) {
            if flight.inFlightCount == 0 {
                probeDeadline = nil
            } else if probeDeadline == nil {
                probeDeadline = context.now + pauseOfProbes(context)
            } else if window.isTimed, !sendsByClock {
                // The clock releases no more chunks, so the sender now waits for the ACK of the
                // last one.
                probeDeadline = earlier(probeDeadline, context.now + pauseOfProbes(context))
            }
            let isOutOfCredit =
                flight.inFlightCount == 0 && flight.lostCount == 0
                && flight.firstUnsent(below: edge) == nil
            if !isOutOfCredit {
                creditPoll = nil
            } else if creditPoll == nil {
                creditPoll = Backoff(
                    from: context.now,
                    first: context.probeTimeout,
                    max: .seconds(2)
                )
            }
        }

        //= CREDIT-5: If a sender that sends in timed bursts has more to send, and has waited 2
        //= seconds without a new acknowledgement, it MUST send POLL, without sending a chunk again.
        //= It MUST repeat this after pauses that double each time, up to 5 seconds.
        private func pauseOfProbes(_ context: SenderContext) -> Microseconds {
            let first: Microseconds =
                if sendsByClock { .seconds(2) } else if sentSincePoll == 0 {
                    context.probeTimeout
                } else { context.delayedProbeTimeout }
            return min(first * (1 &<< pauseDoublings), .seconds(5))
        }

        /// Shortens the wait after a frame with P if there is no sample yet. Without a sample, the
        /// timeout is long, and after P it need not allow for a delayed ACK. Later, the wait must
        /// cover the chunks that are queued ahead of this frame.
        private mutating func hurry(_ context: SenderContext) {
            guard context.roundTrip.shortest == nil, !window.isTimed else { return }
            probeDeadline = earlier(probeDeadline, context.now + pauseOfProbes(context))
        }

        mutating func timeout(
            context: inout SenderContext
        ) -> TimeoutAction {
            if let deadline = window.deadline, context.now >= deadline {
                window.timeout(inFlight: flight.onLinkCount, at: context.now)
                return .stay
            }
            //= CREDIT-2: If a sender has nothing in flight and no credit, it MUST send POLL, first
            //= after its probe timeout, and then after pauses that double each time, up to 2
            //= seconds, until credit arrives or its progress limit ends the session.
            creditPoll?.expire(at: context.now)
            if creditPoll?.takePending() == true {
                isPollDue = true
                return .stay
            }
            if let deadline = probeDeadline, context.now >= deadline {
                return probeTimeout(context: &context)
            }
            return .stay
        }

        //= REPAIR-3: If a sender has waited for the length of its probe timeout without a new
        //= acknowledgement, it MUST send the oldest chunk in flight again, with P.
        private mutating func probeTimeout(
            context: inout SenderContext
        ) -> TimeoutAction {
            let pause = pauseOfProbes(context)
            context.statistics.probeTimeouts += 1
            probeTimeoutsInARow += 1
            pauseDoublings = min(pauseDoublings + 1, Self.pauseDoublingsMax)
            if isCut { unreportedUntil = context.now }
            let isLinkSilent = pause > .milliseconds(500)
            if isLinkSilent { flight.linkWasSilent(until: context.now) }
            let isSizeInDoubt = wasAnsweredSinceProbe && !context.isChunkSizeProven
            //= ACK-13: If 3 probe timeouts pass in a row, and meanwhile the sender's polls are
            //= answered only with accounts of older epochs, the sender MUST open again with a new
            //= session number.
            if probeTimeoutsInARow >= 3, wasContradictedSinceProbe { return .reopen }
            if probeTimeoutsInARow >= 3, isSizeInDoubt { return .discoverSize }
            if probeTimeoutsInARow == 1 {
                wasAnsweredSinceProbe = false
                wasContradictedSinceProbe = false
            }
            if sendsByClock {
                askedAboutUntil = context.now + (.zero - pause)
            } else {
                let countMax = isLinkSilent && !context.keepsOrder ? 3 : 1
                while probesDue < countMax, let oldest = flight.oldestInFlight {
                    flight.markLate(oldest)
                    probesDue += 1
                }
            }
            // From the second timeout on, POLL is also sent: it is short enough for any link.
            isPollDue = probeTimeoutsInARow > 1 || pause > .seconds(2) || probesDue == 0
            probeDeadline = context.now + pauseOfProbes(context)
            return .stay
        }

        mutating func nextTransmission(
            context: inout SenderContext
        ) -> SenderTransmission? {
            if isPollDue {
                isPollDue = false
                return context.poll(object, epoch)
            }
            let isAllowed = window.canSend(inFlight: flight.onLinkCount, at: context.now)
            guard probesDue > 0 || isAllowed else { return nil }
            guard let index = nextChunk() else {
                ranOutOfChunks = true
                return nil
            }
            return send(index, context: &context)
        }

        //= REPAIR-2: A sender MUST send a lost chunk again before any new one, with the same index
        //= and the same payload.
        //= CREDIT-1: A sender MUST NOT send a chunk at or past the edge.
        private func nextChunk() -> UInt32? {
            flight.lostCount > 0 ? flight.firstLost : flight.firstUnsent(below: edge)
        }

        private mutating func send(
            _ index: UInt32,
            context: inout SenderContext
        ) -> SenderTransmission {
            let isRepeated = flight.lostCount > 0
            flight.sent(index, at: context.now)
            window.sent(at: context.now)
            sentSincePoll += 1
            let isPoll = probesDue > 0 || isPollWanted(context)
            probesDue = max(probesDue - 1, 0)
            if isPoll {
                flight.asked(with: index)
                sentSincePoll = 0
                hurry(context)
                context.awaitsAnswer()
            }
            if isSentTwice(index) {
                flight.markLate(index)
                probesDue = 1
            }
            context.statistics.dataFramesSent += 1
            if isRepeated { context.statistics.dataFramesResent += 1 }
            let byteRange = packetizer.byteRange(ofChunk: index)
            rearm(context: context)
            return .data(
                .init(
                    object: object,
                    index: index,
                    byteRange: byteRange,
                    isPoll: isPoll,
                    isRepeated: isRepeated,
                    header: header
                )
            )
        }

        //= REPAIR-5: When a sender sends the chunk after which nothing of the object is left to
        //= send, and chunks of this epoch have been lost, the sender SHOULD send this chunk a
        //= second time at once, with P.
        /// Whether to send the last chunk twice. A sender that sent it once would detect its loss
        /// only by a probe timeout, which is long compared with a short transfer.
        private func isSentTwice(_ index: UInt32) -> Bool {
            flight.hasLost && flight.isAllSent && !flight.isProbed(index) && !window.isTimed
        }

        //= WINDOW-2: If a sender may send no other data frame after a data frame, because the
        //= window or the credit is used up or the object has no chunk left to send, it MUST set P
        //= on this frame. If an ACK makes the window so small that this becomes true for the last
        //= frame that was sent, the sender MUST send POLL.
        private func isPollWanted(_ context: SenderContext) -> Bool {
            if nextChunk() == nil { return true }
            // The first chunks share one request. Separate requests would not measure the idle
            // round trip.
            let credit = context.baseRoundTrip.isConfirmed ? Int(edge - flight.cumulative) : .max
            return window.wantsAcknowledgement(
                after: sentSincePoll,
                credit: credit,
                inFlight: flight.onLinkCount
            )
        }
    }
}
