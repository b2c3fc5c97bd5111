extension ReceiverState {
    /// The object whose chunks arrive, in one epoch after another, and the account of it.
    struct Receiving: ~Copyable {
        static var rejectionCountMax: UInt8 { 8 }

        // What is used most comes first, as far as it is short: there a microcontroller reaches it
        // with the shorter instructions.
        private(set) var object = ObjectID.manifest
        private(set) var epoch: Epoch
        /// A session ends before they are more than the most.
        private(set) var rejectionCount: UInt8 = 0
        private let leavesPaceToSender: Bool
        /// Whether the sender has ever used all of its credit.
        private var hasCreditRunOut = false
        /// Whether the account has moved so far that only a new epoch can tell it.
        private var isEpochDue = false
        private var header: PseudoHeader
        private var session = SessionNumber.none
        private let creditCountMax: UInt32
        /// How many chunks past the first missing one an ACK shows.
        private let shownCountMax: UInt32
        private var durableByteCount: UInt32 = 0
        /// What the last ACK said.
        private var advertisedCumulative: UInt32 = 0
        private var advertisedEdge: UInt32 = 0
        private var reassembler: Reassembler
        var acknowledgements: AcknowledgementTimer
        /// BUSY is said while there is no credit to give.
        private var busy = ReceiverTimer.off

        /// Nothing is received yet.
        init(options: ReceiverOptions, memory: ReceiverMemory) {
            leavesPaceToSender = options.leavesPaceToSender
            creditCountMax = UInt32(options.creditCountMax)
            shownCountMax = UInt32(
                Acknowledgement.chunkCountShown(inFrameOf: options.controlByteCountMax)
            )
            // The first object begins the next.
            epoch = Epoch(options.firstEpoch.rawValue &- 1)
            header = .echo
            reassembler = Reassembler(memory: memory)
            acknowledgements = AcknowledgementTimer(dueAt: Instant(microseconds: 0))
        }

        //= ACK-3: A receiver MUST begin a new epoch with every session and with every object.
        /// Begins an object; false if there is not enough memory for it.
        mutating func begin(
            _ plan: ObjectPlan,
            session: SessionNumber,
            chunkSize: ChunkSize,
            at now: Instant
        ) -> Bool {
            guard reassembler.begin(plan, chunkSize: chunkSize) else { return false }
            self.session = session
            object = plan.object
            rejectionCount = 0
            durableByteCount = min(reassembler.storedByteCount, plan.durableByteCountMax)
            hasCreditRunOut = false
            busy = .off
            acknowledgements.forgetPoll()
            beginEpoch(at: now)
            return true
        }

        var isStored: Bool { reassembler.isStored }

        func withBytes<R>(ofBlock block: Int, _ body: (RawSpan) -> R) -> R {
            reassembler.withBytes(ofBlock: block, body)
        }

        //= DATA-2: A receiver MUST drop a data frame whose checksum is wrong for the session,
        //= object and epoch it is in.
        /// Takes a data frame; `nil` for one that is damaged or of another epoch.
        mutating func take(
            _ frame: DataFrame,
            in datagram: RawSpan,
            at now: Instant
        ) -> Reassembler.Placement? {
            guard let index = frame.chunkIndex(near: reassembler.cumulative),
                DataFrame.isIntact(datagram, chunkIndex: index, header: header)
            else { return nil }
            let expected = reassembler.highestEnd
            let placement =
                index < edge
                ? reassembler.place(datagram.extracting(frame.payloadRange), at: index)
                : .beyondEdge
            switch placement {
            case .beyondEdge, .wrongLength:
                if frame.isPoll { acknowledgements.pollArrived(at: now) }
            case .placed, .repeated:
                if reassembler.highestEnd >= advertisedEdge { hasCreditRunOut = true }
                let isUrgent =
                    index > expected || placement == .placed && reassembler.isComplete
                schedule(frame, isUrgent: isUrgent, at: now)
            }
            return placement
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
            let told = reassembler.edge(showing: shownCountMax)
            let cumulative = reassembler.cumulative
            let paced = min(told, tellableEnd &- 1, cumulative &+ creditCountMax)
            // What a shorter one would take back was said, and holds.
            return max(paced, cumulative, advertisedEdge)
        }

        /// One past the highest cumulative acknowledgement whose 16 bits can be told by the durable
        /// part. A chunk has 12 bytes or more, so the sum has 32 bits.
        private var tellableEnd: UInt32 {
            durableByteCount / reassembler.chunkByteCount &+ 65_536
        }

        var hasTask: Bool { reassembler.hasCompleteBlock }

        mutating func nextTask() -> StorageTask? {
            reassembler.nextCompleteBlock().map { .write(object, block: $0) }
        }

        /// Notes that a block is stored; false if it was not with the store.
        mutating func stored(_ block: Int, at now: Instant) -> Bool {
            guard reassembler.stored(block) else { return false }
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
            let left = advertisedEdge &- min(reassembler.highestEnd, advertisedEdge)
            let most = min(reassembler.chunkCountOfRing, creditCountMax)
            if left == 0 || left < most / (hasCreditRunOut ? 2 : 4) {
                acknowledgements.somethingChanged(at: now)
            }
        }

        /// Notes that a block was wrong; false if it was not with the store.
        mutating func rejected(_ block: Int, at now: Instant) -> Bool {
            guard reassembler.rejected(block) else { return false }
            rejectionCount &+= 1
            beginEpoch(at: now)
            return true
        }

        mutating func durable(_ byteCount: UInt32, at now: Instant) {
            // What is not stored can't be durable: then the answer is a late one, of the manifest.
            let stored = reassembler.storedByteCount
            durableByteCount = max(durableByteCount, min(byteCount, stored))
            noteEdge(at: now)
        }

        /// The sender wants to know where things stand.
        mutating func asked(at now: Instant) {
            acknowledgements.pollArrived(at: now)
            if !busy.isOff { busy.ask(at: now) }
        }

        private mutating func beginEpoch(at now: Instant) {
            epoch = epoch.next
            header = PseudoHeader(session: session, object: object, epoch: epoch)
            advertisedCumulative = reassembler.cumulative
            advertisedEdge = reassembler.cumulative
            isEpochDue = false
            acknowledgements.epochBegan(at: now)
        }

        //= ACK-12: A receiver MUST begin a new epoch when its cumulative acknowledgement has moved
        //= by 16,384 chunks or more since its last ACK.
        private mutating func noteFarAdvance(at now: Instant) {
            guard reassembler.cumulative &- advertisedCumulative > UInt32(Credit.chunkCountMax),
                !isEpochDue
            else { return }
            isEpochDue = true
            acknowledgements.somethingChanged(at: now)
        }

        var deadline: Instant { min(acknowledgements.deadline, busy.deadline) }

        /// What there is to send.
        enum Output {
            case nothing
            case busy
            case account
        }

        mutating func nextOutput(at now: Instant) -> Output {
            if isOutOfCredit {
                if busy.isOff { busy = .busy(from: now) }
                if busy.takeDue(at: now) { return .busy }
            } else {
                busy = .off
            }
            guard acknowledgements.isDue(at: now) else { return .nothing }
            noteFarAdvance(at: now)
            guard reassembler.cumulative < tellableEnd else {
                // The store has to catch up first; meanwhile the sender hears that it works.
                acknowledgements.putOff(at: now)
                return .busy
            }
            if isEpochDue { beginEpoch(at: now) }
            return .account
        }

        func hasTransmission(at now: Instant) -> Bool {
            // Without credit BUSY is said, by a timer that may have to be set first.
            if isOutOfCredit, busy.isOff || busy.isDue(at: now) { return true }
            return acknowledgements.isDue(at: now)
        }

        private var isOutOfCredit: Bool {
            !reassembler.isStored && edge == reassembler.cumulative
        }

        //= ACK-1: Within an epoch a receiver MUST NOT move the cumulative acknowledgement, the edge
        //= or the durable byte count back, nor withdraw a bit of the bitmap.
        /// Writes the account; returns the length of the frame.
        mutating func writeAccount(at now: Instant, into output: inout MutableRawSpan) -> Int {
            let bitmapByteCount = reassembler.writeBitmap(
                showing: shownCountMax,
                at: Acknowledgement.bitmapOffset,
                into: &output
            )
            let answersPoll = acknowledgements.answersPoll
            advertisedCumulative = reassembler.cumulative
            advertisedEdge = edge
            // No edge is before the cumulative acknowledgement, nor further past it than credit is
            // given at the most, which 16 bits hold.
            let creditCount = UInt16(truncatingIfNeeded: advertisedEdge &- advertisedCumulative)
            let account = Acknowledgement(
                answersPoll: answersPoll,
                object: object,
                epoch: epoch,
                truncatedCumulative: UInt16(truncatingIfNeeded: advertisedCumulative),
                credit: leavesPaceToSender ? .unlimited : .chunks(creditCount),
                durableByteCount: durableByteCount,
                delayMilliseconds: acknowledgements.sent(at: now)
            )
            return account.encode(
                bitmapInPlaceByteCount: bitmapByteCount,
                session: session,
                into: &output
            )
        }
    }
}
