/// What the application and the store say.
extension ReceiverState {
    /// Asks the peer for an object; false unless idle.
    mutating func request(
        _ request: ReceiverControl.Request,
        context: inout ReceiverContext
    ) -> Bool {
        guard self == .idle else { return false }
        //= OPEN-8: A receiver MUST repeat REQUEST, with the same session number, until OPEN or
        //= CLOSE arrives or its silence limit ends the session.
        context.beginRequest(request)
        context.lastHeard = context.now
        self = .requesting
        return true
    }

    /// The application gives up; false if there was nothing to give up.
    mutating func giveUp(
        because reason: Reason,
        context: inout ReceiverContext
    ) -> Bool {
        switch self {
        case .idle, .finished: return false
        case .requesting:
            context.ending = reason
            self = .idle
        case .lookingUp, .receiving, .judging, .verifying:
            finish(reason, context: &context)
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
        context: inout ReceiverContext
    ) -> AnswerAction {
        switch answer {
        case .planned(let plan), .manifestMismatch(let plan):
            planned(plan, isMismatch: answer.isMismatch, context: &context)
        case .alreadyCurrent(let receipt), .published(let receipt):
            published(receipt, context: &context)
        case .lookUpAgain: lookUpAgain(context: &context)
        case .stored(let block): stored(block, context: &context)
        case .rejected(let block): rejected(block, context: &context)
        case .durable(let byteCount): durable(byteCount, context: &context)
        case .refused(let reason, let detail): refused(reason, detail, context: &context)
        }
    }

    //= OBJ-1: A receiver that does not have the manifest of the transfer MUST ask for object 0, and
    //= for object 1 only when the manifest is accepted.
    //= OBJ-2: A receiver MUST check that object 0, once complete, has the byte count and the
    //= SHA-256 that OPEN announced in part, and begin it anew, in a new epoch, if not; after 3 such
    //= failures it MUST end the session with RESULT *manifest mismatch*.
    mutating func planned(
        _ plan: ObjectPlan,
        isMismatch: Bool,
        context: inout ReceiverContext
    ) -> AnswerAction {
        if isMismatch {
            guard self == .judging else { return .ignored }
            context.session.manifestFailureCount &+= 1
            guard context.session.manifestFailureCount < 3 else {
                return finished(.manifestMismatch, context: &context)
            }
        } else {
            guard self == .lookingUp || self == .judging && plan.object == .image else {
                return .ignored
            }
        }
        let action = begin(plan, context: &context)
        return isMismatch && action == .receiving ? .restarted : action
    }

    private mutating func begin(
        _ plan: ObjectPlan,
        context: inout ReceiverContext
    ) -> AnswerAction {
        let open = context.session.open
        let isBegun = context.receiving.begin(
            plan,
            session: open.session,
            chunkSize: open.chunkSize,
            at: context.now
        )
        guard isBegun else {
            let byteCountMax = UInt64(UInt(bitPattern: context.receiving.blockByteCountMax))
            return finished(.tooLarge, detail: byteCountMax, context: &context)
        }
        self = .receiving
        return completeIfStored(context: &context) ?? .receiving
    }

    private mutating func finished(
        _ reason: Reason,
        discarding: Bool = false,
        detail: UInt64 = 0,
        context: inout ReceiverContext
    ) -> AnswerAction {
        finish(reason, discarding: discarding, detail: detail, context: &context)
        return .finished(reason)
    }

    mutating func stored(
        _ block: Int,
        context: inout ReceiverContext
    ) -> AnswerAction {
        guard self == .receiving, context.receiving.stored(block, at: context.now) else {
            return .ignored
        }
        return completeIfStored(context: &context) ?? .progressed
    }

    /// Goes on to judge or verify when the last block is stored.
    private mutating func completeIfStored(
        context: inout ReceiverContext
    ) -> AnswerAction? {
        guard context.receiving.isStored else { return nil }
        let isManifest = context.receiving.object == .manifest
        context.ask(isManifest ? .judge : .publish)
        context.timer = .busy(from: context.now)
        self = isManifest ? .judging : .verifying
        return .whole
    }

    //= OBJ-5: A receiver that rejects a block MUST begin a new epoch in which that block is
    //= missing; after 8 rejections without an accepted block between them it MUST end the session
    //= with RESULT *block mismatch* and the block number as detail.
    mutating func rejected(
        _ block: Int,
        context: inout ReceiverContext
    ) -> AnswerAction {
        guard self == .receiving, context.receiving.rejected(block, at: context.now) else {
            return .ignored
        }
        context.statistics.count(.blockRejected)
        guard context.receiving.rejectionCount >= Receiving.rejectionCountMax else {
            return .restarted
        }
        // What was with the store has no sign.
        let detail = UInt64(truncatingIfNeeded: block)
        return finished(.blockMismatch, detail: detail, context: &context)
    }

    func durable(
        _ byteCount: UInt32,
        context: inout ReceiverContext
    ) -> AnswerAction {
        guard self == .receiving else { return .ignored }
        context.receiving.durable(byteCount, at: context.now)
        return .progressed
    }

    mutating func lookUpAgain(
        context: inout ReceiverContext
    ) -> AnswerAction {
        guard self == .verifying else { return .ignored }
        context.session.publishFailureCount &+= 1
        guard context.session.publishFailureCount < 3 else {
            return finished(.imageMismatch, context: &context)
        }
        context.ask(.lookUp)
        self = .lookingUp
        return .restarted
    }

    //= END-1: A receiver that has made the image current MUST send RESULT *verified*, whose detail
    //= holds the first 8 bytes of the SHA-256 it computed of the image, decoded if it travelled
    //= encoded, as a little-endian number.
    mutating func published(
        _ receipt: UInt64,
        context: inout ReceiverContext
    ) -> AnswerAction {
        guard self == .lookingUp || self == .verifying else { return .ignored }
        return finished(.verified, detail: receipt, context: &context)
    }

    //= OBJ-3: A receiver MUST refuse a manifest that breaks a rule of section 4.2, that exceeds its
    //= limits or that its policy does not allow, before it erases or writes anything of the image.
    mutating func refused(
        _ reason: Reason,
        _ detail: UInt64,
        context: inout ReceiverContext
    ) -> AnswerAction {
        switch self {
        case .idle, .requesting, .finished: return .ignored
        case .lookingUp, .receiving, .judging, .verifying: break
        }
        return finished(
            reason,
            discarding: self == .judging,
            detail: detail,
            context: &context
        )
    }
}

extension StorageAnswer {
    fileprivate var isMismatch: Bool {
        if case .manifestMismatch = self { true } else { false }
    }
}
