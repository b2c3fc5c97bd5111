/// What the application and the store say.
extension ReceiverState {
    /// Asks the peer for an object; false unless idle.
    mutating func request(
        _ request: ReceiverControl.Request,
        context: inout ReceiverContext,
        at now: Instant
    ) -> Bool {
        guard self == .idle else { return false }
        //= OPEN-8: A receiver MUST repeat REQUEST, with the same session number, until OPEN or
        //= CLOSE arrives or its silence limit ends the session.
        context.beginRequest(request, at: now)
        context.lastHeard = now
        self = .requesting
        return true
    }

    /// The application gives up; false if there was nothing to give up.
    mutating func giveUp(
        because reason: Reason,
        context: inout ReceiverContext,
        at now: Instant
    ) -> Bool {
        switch self {
        case .idle, .finished: return false
        case .requesting: self = .idle
        case .lookingUp, .receiving, .judging, .verifying:
            finish(reason, context: &context, at: now)
        }
        return true
    }

    /// What an answer of the store led to.
    enum AnswerAction: Hashable {
        /// It does not fit the state.
        case ignored
        /// An object is received from here on.
        case receiving
        /// A block is stored, or more is durable.
        case progressed
        /// A block, or the manifest, has to come again.
        case restarted
        /// The object is whole and goes to be judged or verified.
        case whole
        /// The session ended with this result.
        case finished(Reason)
    }

    mutating func answer(
        _ answer: StorageAnswer,
        context: inout ReceiverContext,
        at now: Instant
    ) -> AnswerAction {
        switch answer {
        case .planned(let plan), .manifestMismatch(let plan):
            planned(plan, isMismatch: answer.isMismatch, context: &context, at: now)
        case .alreadyCurrent(let receipt), .published(let receipt):
            published(receipt, context: &context, at: now)
        case .lookUpAgain: lookUpAgain(context: &context, at: now)
        case .stored(let block): stored(block, context: &context, at: now)
        case .rejected(let block): rejected(block, context: &context, at: now)
        case .durable(let byteCount): durable(byteCount, context: &context, at: now)
        case .refused(let reason, let detail): refused(reason, detail, context: &context, at: now)
        }
    }

    //= OBJ-1: A receiver that does not have the manifest of the transfer MUST ask for object 0, and
    //= for object 1 only when the manifest is accepted.
    //= OBJ-2: A receiver MUST check that object 0, once complete, has the byte count and the
    //= SHA-256 that OPEN announced in part, and begin it anew, in a new epoch, if not; after 3 such
    //= failures it MUST end the session with RESULT *manifest mismatch*.
    private mutating func planned(
        _ plan: ObjectPlan,
        isMismatch: Bool,
        context: inout ReceiverContext,
        at now: Instant
    ) -> AnswerAction {
        if isMismatch {
            guard self == .judging else { return .ignored }
            context.session.manifestFailureCount &+= 1
            guard context.session.manifestFailureCount < 3 else {
                return finished(.manifestMismatch, context: &context, at: now)
            }
        } else {
            guard self == .lookingUp || self == .judging && plan.object == .image else {
                return .ignored
            }
        }
        let action = begin(plan, context: &context, at: now)
        return isMismatch && action == .receiving ? .restarted : action
    }

    private mutating func begin(
        _ plan: ObjectPlan,
        context: inout ReceiverContext,
        at now: Instant
    ) -> AnswerAction {
        let open = context.session.open
        let isBegun = context.receiving.begin(
            plan,
            session: open.session,
            chunkSize: open.chunkSize,
            at: now
        )
        guard isBegun else {
            let byteCountMax = UInt64(context.blockByteCountMax)
            return finished(.tooLarge, detail: byteCountMax, context: &context, at: now)
        }
        self = .receiving
        return completeIfStored(context: &context, at: now) ?? .receiving
    }

    private mutating func finished(
        _ reason: Reason,
        detail: UInt64 = 0,
        discarding: Bool = false,
        context: inout ReceiverContext,
        at now: Instant
    ) -> AnswerAction {
        finish(reason, detail: detail, discarding: discarding, context: &context, at: now)
        return .finished(reason)
    }

    private mutating func stored(
        _ block: Int,
        context: inout ReceiverContext,
        at now: Instant
    ) -> AnswerAction {
        guard self == .receiving, context.receiving.stored(block, at: now) else { return .ignored }
        return completeIfStored(context: &context, at: now) ?? .progressed
    }

    /// Goes on to judge or verify when the last block is stored.
    private mutating func completeIfStored(
        context: inout ReceiverContext,
        at now: Instant
    ) -> AnswerAction? {
        guard context.receiving.isStored else { return nil }
        let isManifest = context.receiving.object == .manifest
        context.ask(isManifest ? .judge : .publish)
        context.timer = .busy(from: now)
        self = isManifest ? .judging : .verifying
        return .whole
    }

    //= OBJ-5: A receiver that rejects a block MUST begin a new epoch in which that block is
    //= missing; after 8 rejections without an accepted block between them it MUST end the session
    //= with RESULT *block mismatch* and the block number as detail.
    private mutating func rejected(
        _ block: Int,
        context: inout ReceiverContext,
        at now: Instant
    ) -> AnswerAction {
        guard self == .receiving, context.receiving.rejected(block, at: now) else {
            return .ignored
        }
        context.statistics.count(.blockRejected)
        guard context.receiving.rejectionCount >= Receiving.rejectionCountMax else {
            return .restarted
        }
        return finished(.blockMismatch, detail: UInt64(block), context: &context, at: now)
    }

    private func durable(
        _ byteCount: UInt32,
        context: inout ReceiverContext,
        at now: Instant
    ) -> AnswerAction {
        guard self == .receiving else { return .ignored }
        context.receiving.durable(byteCount, at: now)
        return .progressed
    }

    private mutating func lookUpAgain(
        context: inout ReceiverContext,
        at now: Instant
    ) -> AnswerAction {
        guard self == .verifying else { return .ignored }
        context.session.publishFailureCount &+= 1
        guard context.session.publishFailureCount < 3 else {
            return finished(.imageMismatch, context: &context, at: now)
        }
        context.ask(.lookUp)
        self = .lookingUp
        return .restarted
    }

    //= END-1: A receiver that has made the image current MUST send RESULT *verified*, whose detail
    //= holds the first 8 bytes of the SHA-256 it computed of the image, decoded if it travelled
    //= encoded, as a little-endian number.
    private mutating func published(
        _ receipt: UInt64,
        context: inout ReceiverContext,
        at now: Instant
    ) -> AnswerAction {
        guard self == .lookingUp || self == .verifying else { return .ignored }
        return finished(.verified, detail: receipt, context: &context, at: now)
    }

    //= OBJ-3: A receiver MUST refuse a manifest that breaks a rule of section 4.2, that exceeds its
    //= limits or that its policy does not allow, before it erases or writes anything of the image.
    private mutating func refused(
        _ reason: Reason,
        _ detail: UInt64,
        context: inout ReceiverContext,
        at now: Instant
    ) -> AnswerAction {
        switch self {
        case .idle, .requesting, .finished: return .ignored
        case .lookingUp, .receiving, .judging, .verifying: break
        }
        return finished(
            reason,
            detail: detail,
            discarding: self == .judging,
            context: &context,
            at: now
        )
    }
}

extension StorageAnswer {
    fileprivate var isMismatch: Bool {
        if case .manifestMismatch = self { true } else { false }
    }
}
