/// What the application and the store say.
extension ReceiverState {
    /// Asks the peer for an object; false unless idle.
    mutating func request(_ request: ReceiverControl.Request, at now: Instant) -> Bool {
        switch consume self {
        case .idle:
            //= OPEN-8: A receiver MUST repeat REQUEST, with the same session number, until OPEN or
            //= CLOSE arrives or its silence limit ends the session.
            let retry = Backoff(from: now, first: .milliseconds(640), max: .seconds(2))
            self = .requesting(Requesting(request: request, retry: retry))
            return true
        case let other:
            self = other
            return false
        }
    }

    /// The application gives up; false if there was nothing to give up.
    mutating func giveUp(
        because reason: Reason,
        context: inout ReceiverContext,
        at now: Instant
    ) -> Bool {
        switch consume self {
        case .requesting:
            self = .idle
            return true
        case .idle:
            self = .idle
            return false
        case .finished(let state):
            self = .finished(state)
            return false
        case let other:
            self = other
            finish(.init(reason: reason), discarding: false, context: &context, at: now)
            return true
        }
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
        case .planned(let plan): planned(plan, context: &context, at: now)
        case .alreadyCurrent(let receipt): published(receipt, context: &context, at: now)
        case .published(let receipt): published(receipt, context: &context, at: now)
        case .manifestMismatch(let plan): manifestMismatch(plan, context: &context, at: now)
        case .lookUpAgain: lookUpAgain(context: &context, at: now)
        case .stored(let block): stored(block, context: &context, at: now)
        case .rejected(let block): rejected(block, context: &context, at: now)
        case .durable(let byteCount): durable(byteCount, at: now)
        case .refused(let reason, let detail): refused(reason, detail, context: &context, at: now)
        }
    }

    //= OBJ-1: A receiver that does not have the manifest of the transfer MUST ask for object 0, and
    //= for object 1 only when the manifest is accepted.
    private mutating func planned(
        _ plan: ObjectPlan,
        context: inout ReceiverContext,
        at now: Instant
    ) -> AnswerAction {
        switch consume self {
        case .lookingUp(let state):
            self = .beginning(plan, of: state.session, context: &context, at: now)
        case .judging(let state) where plan.object == .image:
            self = .beginning(plan, of: state.session, context: &context, at: now)
        case let other:
            self = other
            return .ignored
        }
        return afterBeginning(context: &context, at: now)
    }

    private static func beginning(
        _ plan: ObjectPlan,
        of session: Session,
        context: inout ReceiverContext,
        at now: Instant
    ) -> ReceiverState {
        guard
            let receiving = Receiving(plan: plan, session: session, context: &context, at: now)
        else {
            context.ask(.release(discarding: false))
            let result = ReceiverControl.Result(
                reason: .tooLarge,
                detail: UInt64(context.memory.blocks.count / 2)
            )
            return .finished(
                Finished(
                    session: session.number,
                    result: result,
                    expiresAt: now + context.options.resultLimit
                )
            )
        }
        return .receiving(receiving)
    }

    private mutating func afterBeginning(
        context: inout ReceiverContext,
        at now: Instant
    ) -> AnswerAction {
        if case .finished(let reason) = phase { return .finished(reason) }
        return completeIfStored(context: &context, at: now) ?? .receiving
    }

    private mutating func stored(
        _ block: Int,
        context: inout ReceiverContext,
        at now: Instant
    ) -> AnswerAction {
        switch consume self {
        case .receiving(var receiving):
            let isExpected = receiving.stored(block, at: now)
            self = .receiving(receiving)
            guard isExpected else { return .ignored }
            return completeIfStored(context: &context, at: now) ?? .progressed
        case let other:
            self = other
            return .ignored
        }
    }

    /// Goes on to judge or verify when the last block is stored.
    private mutating func completeIfStored(
        context: inout ReceiverContext,
        at now: Instant
    ) -> AnswerAction? {
        switch consume self {
        case .receiving(let receiving) where receiving.isStored:
            let busy = BusyTimer(from: now)
            let (session, epoch) = (receiving.session, receiving.epoch)
            if receiving.object == .manifest {
                context.ask(.judge)
                self = .judging(Judging(session: session, epoch: epoch, busy: busy))
            } else {
                context.ask(.publish)
                self = .verifying(Verifying(session: session, epoch: epoch, busy: busy))
            }
            return .whole
        case let other:
            self = other
            return nil
        }
    }

    //= OBJ-5: A receiver that rejects a block MUST begin a new epoch in which that block is
    //= missing; after 8 rejections without an accepted block between them it MUST end the session
    //= with RESULT *block mismatch* and the block number as detail.
    private mutating func rejected(
        _ block: Int,
        context: inout ReceiverContext,
        at now: Instant
    ) -> AnswerAction {
        switch consume self {
        case .receiving(var receiving):
            guard receiving.rejected(block, context: &context, at: now) else {
                self = .receiving(receiving)
                return .ignored
            }
            let isHopeless = receiving.rejectionCount >= Receiving.rejectionCountMax
            self = .receiving(receiving)
            guard isHopeless else { return .restarted }
            finish(
                .init(reason: .blockMismatch, detail: UInt64(block)),
                discarding: false,
                context: &context,
                at: now
            )
            return .finished(.blockMismatch)
        case let other:
            self = other
            return .ignored
        }
    }

    private mutating func durable(_ byteCount: UInt32, at now: Instant) -> AnswerAction {
        switch consume self {
        case .receiving(var receiving):
            receiving.durable(byteCount, at: now)
            self = .receiving(receiving)
            return .progressed
        case let other:
            self = other
            return .ignored
        }
    }

    //= OBJ-2: A receiver MUST check that object 0, once complete, has the byte count and the
    //= SHA-256 that OPEN announced in part, and begin it anew, in a new epoch, if not; after 3 such
    //= failures it MUST end the session with RESULT *manifest mismatch*.
    private mutating func manifestMismatch(
        _ plan: ObjectPlan,
        context: inout ReceiverContext,
        at now: Instant
    ) -> AnswerAction {
        switch consume self {
        case .judging(var state):
            state.session.manifestFailureCount += 1
            guard state.session.manifestFailureCount < 3 else {
                self = .judging(state)
                finish(
                    .init(reason: .manifestMismatch),
                    discarding: false,
                    context: &context,
                    at: now
                )
                return .finished(.manifestMismatch)
            }
            self = .beginning(plan, of: state.session, context: &context, at: now)
            let action = afterBeginning(context: &context, at: now)
            return action == .receiving ? .restarted : action
        case let other:
            self = other
            return .ignored
        }
    }

    private mutating func lookUpAgain(
        context: inout ReceiverContext,
        at now: Instant
    ) -> AnswerAction {
        switch consume self {
        case .verifying(var state):
            state.session.publishFailureCount += 1
            guard state.session.publishFailureCount < 3 else {
                self = .verifying(state)
                finish(
                    .init(reason: .imageMismatch),
                    discarding: false,
                    context: &context,
                    at: now
                )
                return .finished(.imageMismatch)
            }
            let open = state.session.open
            context.ask(.lookUp(open.tag, manifestByteCount: open.manifestByteCount))
            self = .lookingUp(LookingUp(session: state.session, busy: state.busy))
            return .restarted
        case let other:
            self = other
            return .ignored
        }
    }

    //= END-1: A receiver that has made the image current MUST send RESULT *verified*, whose detail
    //= holds the first 8 bytes of the SHA-256 it computed of the image, decoded if it travelled
    //= encoded, as a little-endian number.
    private mutating func published(
        _ receipt: UInt64,
        context: inout ReceiverContext,
        at now: Instant
    ) -> AnswerAction {
        switch phase {
        case .lookingUp, .verifying:
            finish(
                .init(reason: .verified, detail: receipt),
                discarding: false,
                context: &context,
                at: now
            )
            return .finished(.verified)
        default: return .ignored
        }
    }

    //= OBJ-3: A receiver MUST refuse a manifest that breaks a rule of section 4.2, that exceeds its
    //= limits or that its policy does not allow, before it erases or writes anything of the image.
    private mutating func refused(
        _ reason: Reason,
        _ detail: UInt64,
        context: inout ReceiverContext,
        at now: Instant
    ) -> AnswerAction {
        switch phase {
        case .idle, .requesting, .finished: return .ignored
        case .judging:
            finish(
                .init(reason: reason, detail: detail),
                discarding: true,
                context: &context,
                at: now
            )
        case .lookingUp, .receiving, .verifying:
            finish(
                .init(reason: reason, detail: detail),
                discarding: false,
                context: &context,
                at: now
            )
        }
        return .finished(reason)
    }
}
