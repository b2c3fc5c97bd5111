import BLEOTACore

extension UpdatePhase {
    mutating func linkUp(context: inout UpdateContext, at now: Instant) {
        self =
            context.restartedAt == nil
            ? context.ask(.parameters, .parameters, at: now)
            : context.ask(.imageState, .readingBack, at: now)
    }

    mutating func linkDown(context: inout UpdateContext, at now: Instant) {
        switch consume self {
        case .uploading(let uploader):
            context.add(uploader)
            self = .unlinked
        case .resetting:
            // The device probably restarted before it sent its reply.
            context.restartedAt = context.restartedAt ?? now
            self = .returning(isClosing: false)
        case .returning: self = .returning(isClosing: false)
        case .finished(let outcome, let isReported):
            self = .finished(outcome, isReported: isReported)
        default: self = .unlinked
        }
    }

    var deviceOffset: Int? {
        switch self {
        case .uploading(let uploader): uploader.deviceOffset
        default: nil
        }
    }

    /// The sum of `counters` and those of an upload in progress.
    func counters(adding counters: UploadCounters) -> UploadCounters {
        var sum = counters
        switch self {
        case .uploading(let uploader): sum.add(uploader)
        default: break
        }
        return sum
    }

    func deadline(_ context: UpdateContext) -> Instant? {
        switch self {
        case .uploading(let uploader): uploader.deadline
        case .awaitingConfirmation(let askAt): askAt
        default: context.exchange.deadline
        }
    }

    mutating func next(
        context: inout UpdateContext,
        at now: Instant
    ) throws(SMPFailure) -> SMPUpdate.Action? {
        switch consume self {
        case .uploading(var uploader):
            let sequence = context.exchange.nextSequence
            let result = Self.nextChunk(&uploader, sequence, at: now)
            self = .uploading(uploader)
            guard let chunk = try result.get() else { return nil }
            context.exchange.takeSequence()
            context.noteSent(chunk)
            return .upload(chunk, sequence: sequence)
        case .returning(isClosing: true):
            self = .returning(isClosing: false)
            return .reconnect(after: SMPUpdate.restartPause)
        case .awaitingConfirmation(let askAt) where now >= askAt:
            self = context.ask(.imageState, .readingBack, at: now)
            guard let (request, sequence) = context.exchange.takeDue(at: now) else { return nil }
            return .request(request, sequence: sequence)
        case .finished(let outcome, isReported: false):
            self = .finished(outcome, isReported: true)
            return .finish(outcome)
        case let unchanged:
            self = unchanged
            return nil
        }
    }

    private static func nextChunk(
        _ uploader: inout Uploader,
        _ sequence: UInt8,
        at now: Instant
    ) -> Result<UploadChunk?, SMPFailure> {
        do throws(Uploader.Failure) {
            return .success(try uploader.nextChunk(sequence: sequence, at: now))
        } catch {
            return .failure(.upload(error))
        }
    }

    mutating func expire(context: inout UpdateContext, at now: Instant) throws(SMPFailure) {
        if let restartedAt = context.restartedAt, now >= restartedAt + context.plan.restartLimit {
            throw .notInTime
        }
        switch consume self {
        case .uploading(var uploader):
            let failure = Self.expire(&uploader, at: now)
            self = .uploading(uploader)
            if let failure { throw .upload(failure) }
        case let unchanged:
            self = unchanged
            if context.exchange.silence(at: now) >= context.plan.silenceLimit { throw .silent }
        }
    }

    private static func expire(_ uploader: inout Uploader, at now: Instant) -> Uploader.Failure? {
        do throws(Uploader.Failure) {
            try uploader.expire(at: now)
            return nil
        } catch {
            return error
        }
    }
}
