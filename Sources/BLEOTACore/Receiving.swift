extension ReceiverState {
    /// Chunks of one object arrive, in one epoch after another.
    struct Receiving: ~Copyable {
        static var rejectionCountMax: Int { 8 }

        let session: Session
        let object: ObjectID
        private(set) var epoch: Epoch
        private(set) var rejectionCount = 0
        var acknowledgements: AcknowledgementTimer
        private var header: PseudoHeader
        private var reassembler: Reassembler
        private let chunkSize: ChunkSize
        private let leavesPaceToSender: Bool
        private let creditCountMax: UInt32
        /// How many chunks past the first missing one an ACK shows.
        private let shownCountMax: UInt32
        private var durableByteCount: UInt32
        /// What the last ACK said.
        private var advertisedCumulative: UInt32
        private var advertisedEdge: UInt32
        /// Whether the sender has ever used all of its credit.
        private var hasCreditRunOut = false
        /// Whether the account has moved so far that only a new epoch can tell it.
        private var isEpochDue = false
        /// BUSY is said while there is no credit to give.
        private var busy: BusyTimer?

        /// Begins an object; `nil` if there is not enough memory for it.
        init?(
            plan: ObjectPlan,
            session: Session,
            context: inout ReceiverContext,
            at now: Instant
        ) {
            guard
                let reassembler = Reassembler(
                    plan: plan,
                    chunkSize: session.open.chunkSize,
                    memory: context.memory
                )
            else { return nil }
            self.session = session
            object = plan.object
            chunkSize = session.open.chunkSize
            leavesPaceToSender = context.options.leavesPaceToSender
            creditCountMax = UInt32(context.options.creditCountMax)
            shownCountMax = UInt32(
                Acknowledgement.chunkCountShown(inFrameOf: context.options.controlByteCountMax)
            )
            let firstMissing = plan.held.firstMissing(from: 0)
            durableByteCount = UInt32(
                min(firstMissing * plan.blockByteCount, Int(plan.byteCount))
            )
            epoch = context.beginEpoch()
            header = PseudoHeader(
                session: session.number,
                object: plan.object,
                epoch: epoch
            )
            advertisedCumulative = reassembler.cumulative
            advertisedEdge = reassembler.cumulative
            acknowledgements = AcknowledgementTimer(dueAt: now)
            self.reassembler = reassembler
        }

        var isStored: Bool { reassembler.isStored }

        func withBytes<R>(ofBlock block: Int, _ body: (RawSpan) -> R) -> R {
            reassembler.withBytes(ofBlock: block, body)
        }

        //= DATA-2: A receiver MUST drop a data frame whose checksum is wrong for the session,
        //= object and epoch it is in.
        mutating func take(
            _ frame: DataFrame,
            in datagram: RawSpan,
            context: inout ReceiverContext,
            at now: Instant
        ) -> DataAction {
            guard let index = frame.chunkIndex(near: reassembler.cumulative),
                DataFrame.isIntact(datagram, chunkIndex: index, header: header)
            else { return .dropped }
            context.lastHeard = now
            let expected = reassembler.highestEnd
            let wasComplete = reassembler.isComplete
            let placement =
                index < edge
                ? reassembler.place(datagram.extracting(frame.payloadRange), at: index)
                : .beyondEdge
            switch placement {
            case .beyondEdge, .wrongLength:
                if frame.isPoll { acknowledgements.pollArrived(at: now) }
                return .dropped
            case .placed, .repeated:
                break
            }
            if reassembler.highestEnd >= advertisedEdge { hasCreditRunOut = true }
            let isNewGap = index > expected
            let isNewlyComplete = reassembler.isComplete && !wasComplete
            schedule(frame, isUrgent: isNewGap || isNewlyComplete, at: now)
            return placement == .placed ? .placed : .repeated
        }

        //= ACK-4: A receiver MUST send ACK at once: as the first frame of an epoch; when a data
        //= frame with P arrives, also a repeated one; when POLL arrives; when a gap appears that
        //= was not there before; when the object is complete; and when the edge moves after the
        //= sender reached it.
        private mutating func schedule(_ frame: DataFrame, isUrgent: Bool, at now: Instant) {
            if frame.isPoll {
                acknowledgements.dataArrived(at: now)
                acknowledgements.pollArrived(at: now)
                return
            }
            if leavesPaceToSender { return }
            acknowledgements.dataArrived(at: now)
            if isUrgent { acknowledgements.somethingChanged(at: now) }
            noteEdge(at: now)
        }

        /// The first chunk for which there is no place, or that is too far past the durable part.
        //= ACK-6: The cumulative acknowledgement MUST be less than ⌊durable byte count ÷ chunk
        //= size⌋ + 65,536.
        private var edge: UInt32 {
            // What a shorter one would take back was said, and holds.
            max(edgeNow, advertisedEdge)
        }

        private var edgeNow: UInt32 {
            let durableEnd = UInt64(durableByteCount) / UInt64(chunkSize.byteCount)
            let told = reassembler.edge(showing: shownCountMax)
            let paced = UInt32(min(UInt64(told), durableEnd + 65_535))
            let cumulative = reassembler.cumulative
            return max(min(paced, cumulative + creditCountMax), cumulative)
        }

        var hasTask: Bool { reassembler.hasCompleteBlock }

        mutating func nextTask() -> StorageTask? {
            reassembler.nextCompleteBlock().map { .write(object, block: $0) }
        }

        /// Notes that a block is stored; false if it was not with the store.
        mutating func stored(_ block: Int, at now: Instant) -> Bool {
            guard reassembler.isHandedOver(block) else { return false }
            reassembler.stored(block)
            rejectionCount = 0
            noteEdge(at: now)
            noteFarAdvance(at: now)
            return true
        }

        /// The sender needs to know before it comes to the edge that the edge has moved: when it is
        /// three quarters of the way there. Once it has come there, the store is the slower one,
        /// and from half of the way on each block that becomes free is told at once: to wait until
        /// more is free would cost a round trip in which nothing is on the way.
        private mutating func noteEdge(at now: Instant) {
            if leavesPaceToSender || edge <= advertisedEdge { return }
            let left = advertisedEdge - min(reassembler.highestEnd, advertisedEdge)
            let most = min(reassembler.chunkCountOfRing, creditCountMax)
            if left == 0 || left < most / (hasCreditRunOut ? 2 : 4) {
                acknowledgements.somethingChanged(at: now)
            }
        }

        /// Notes that a block was wrong; false if it was not with the store.
        mutating func rejected(
            _ block: Int,
            context: inout ReceiverContext,
            at now: Instant
        ) -> Bool {
            guard reassembler.isHandedOver(block) else { return false }
            reassembler.rejected(block)
            rejectionCount += 1
            context.statistics.blocksRejected += 1
            beginEpoch(context: &context, at: now)
            return true
        }

        mutating func durable(_ byteCount: UInt32, at now: Instant) {
            // What is not stored can't be durable: then the answer is a late one, of the manifest.
            let stored = UInt32(reassembler.storedByteCount)
            durableByteCount = max(durableByteCount, min(byteCount, stored))
            noteEdge(at: now)
        }

        /// The sender wants to know where things stand.
        mutating func asked(at now: Instant) {
            acknowledgements.pollArrived(at: now)
            busy?.ask(at: now)
        }

        private mutating func beginEpoch(context: inout ReceiverContext, at now: Instant) {
            epoch = context.beginEpoch()
            header = PseudoHeader(session: session.number, object: object, epoch: epoch)
            advertisedCumulative = reassembler.cumulative
            advertisedEdge = reassembler.cumulative
            isEpochDue = false
            acknowledgements.epochBegan(at: now)
        }

        //= ACK-12: A receiver MUST begin a new epoch when its cumulative acknowledgement has moved
        //= by 16,384 chunks or more since its last ACK.
        private mutating func noteFarAdvance(at now: Instant) {
            guard reassembler.cumulative - advertisedCumulative > UInt32(Credit.chunkCountMax),
                !isEpochDue
            else { return }
            isEpochDue = true
            acknowledgements.somethingChanged(at: now)
        }

        /// Whether the 16 bits of the cumulative acknowledgement can be told by the durable part.
        private var isAccountTellable: Bool {
            let durableEnd = UInt64(durableByteCount) / UInt64(chunkSize.byteCount)
            return UInt64(reassembler.cumulative) < durableEnd + 65_536
        }

        var deadline: Instant? { earlier(acknowledgements.deadline, busy?.deadline) }

        mutating func nextTransmission(
            context: inout ReceiverContext,
            at now: Instant
        ) -> ReceiverTransmission? {
            if isOutOfCredit {
                var timer = busy ?? BusyTimer(from: now)
                let isDue = timer.takeDue(at: now)
                busy = timer
                if isDue { return busyTransmission }
            } else {
                busy = nil
            }
            guard acknowledgements.isDue(at: now) else { return nil }
            noteFarAdvance(at: now)
            guard isAccountTellable else {
                // The store has to catch up first; meanwhile the sender hears that it works.
                _ = acknowledgements.sent(at: now)
                acknowledgements.dataArrived(at: now)
                return busyTransmission
            }
            if isEpochDue { beginEpoch(context: &context, at: now) }
            context.statistics.acknowledgementsSent += 1
            return ReceiverTransmission(
                session: session.number,
                frame: .acknowledgement(account(context, at: now))
            )
        }

        func hasTransmission(at now: Instant) -> Bool {
            // Without credit BUSY is said, by a timer that may have to be set first.
            if isOutOfCredit, busy.map({ now >= $0.deadline }) ?? true { return true }
            return acknowledgements.isDue(at: now)
        }

        private var isOutOfCredit: Bool {
            !reassembler.isStored && edge == reassembler.cumulative
        }

        private var busyTransmission: ReceiverTransmission {
            ReceiverTransmission(
                session: session.number,
                frame: .busy(
                    .init(phase: .writing, object: object, epoch: epoch, millisecondsLeft: 0)
                )
            )
        }

        //= ACK-1: Within an epoch a receiver MUST NOT move the cumulative acknowledgement, the edge
        //= or the durable byte count back, nor withdraw a bit of the bitmap.
        private mutating func account(
            _ context: ReceiverContext,
            at now: Instant
        ) -> Acknowledgement {
            let answersPoll = acknowledgements.answersPoll
            advertisedCumulative = reassembler.cumulative
            advertisedEdge = max(advertisedEdge, edge)
            var account = Acknowledgement(
                answersPoll: answersPoll,
                object: object,
                epoch: epoch,
                truncatedCumulative: UInt16(truncatingIfNeeded: advertisedCumulative),
                credit: leavesPaceToSender
                    ? .unlimited
                    : Credit(clamping: Int(advertisedEdge - advertisedCumulative)),
                durableByteCount: durableByteCount,
                delayMilliseconds: acknowledgements.sent(at: now),
                bitmap: reassembler.bitmap
            )
            account.fit(frameOf: context.options.controlByteCountMax)
            return account
        }
    }
}
