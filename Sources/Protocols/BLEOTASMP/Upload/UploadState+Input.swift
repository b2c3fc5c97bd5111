import BLEOTACore

extension UploadState {
    /// The number of stale requests to remember: more than any device would still answer.
    private static var staleCountMax: Int { 64 }

    mutating func replied(
        to sequence: UInt8,
        offset: Int,
        context: inout UploadContext,
        at now: Instant
    ) throws(Uploader.Failure) -> Uploader.Event {
        switch consume self {
        case .opening(let opening):
            guard let sent = opening.sent, sent.sequence == sequence else {
                self = .opening(opening)
                return .ignored
            }
            context.noteReply(roundTrip: nil, at: now)
            context.noteFurthest(offset, at: now)
            if offset == context.announcement.imageByteCount {
                self = opening.complete()
                return .completed
            }
            self = opening.streaming(from: offset)
            if offset > 0, offset != sent.end { return .resumed(byteCount: offset) }
            return context.isLess(offset) ? .restarted : .progressed
        case .streaming(var streaming):
            guard let (request, earlierCount) = streaming.take(sequence) else {
                self = .streaming(streaming)
                return .ignored
            }
            let isStale = request.epoch != streaming.epoch
            context.noteReply(roundTrip: isStale ? nil : now - request.sentAt, at: now)
            if offset > streaming.deviceOffset {
                context.noteFurthest(offset, at: now)
                if !isStale, offset == request.end { context.window.replied() }
                if offset == context.announcement.imageByteCount {
                    self = streaming.complete()
                    return .completed
                }
                self = streaming.advanced(to: offset)
                return .progressed
            }
            // A reply to a stale request only repeats the offset of an earlier reply. A reply to an
            // earlier request may arrive after the reply to a later one.
            if isStale || offset >= request.end {
                self = .streaming(streaming)
                return .ignored
            }
            context.window.lost()
            if offset > 0 || streaming.deviceOffset == 0 {
                streaming.giveUpRequests(oldest: earlierCount)
                self = streaming.rewound(to: offset)
                return .ignored
            }
            let isAccepted = context.noteRestart()
            self = streaming.opening(at: now)
            if !isAccepted { throw .restartsTooOften }
            return context.isAllSent ? .ended : .restarted
        case .complete:
            self = .complete
            return .ignored
        }
    }

    mutating func postponed(
        _ sequence: UInt8,
        context: inout UploadContext,
        at now: Instant
    ) {
        switch consume self {
        case .opening(var opening):
            if opening.sent?.sequence == sequence {
                context.postpone(at: now)
                opening.repeatAt = context.postponedUntil
            }
            self = .opening(opening)
        case .streaming(var streaming):
            guard let (request, _) = streaming.take(sequence) else {
                self = .streaming(streaming)
                return
            }
            context.postpone(at: now)
            // Data that was sent after a request for which there was no room is past the end of the
            // device's data.
            self =
                request.epoch == streaming.epoch
                ? streaming.rewoundToDevice() : .streaming(streaming)
        case .complete: self = .complete
        }
    }

    mutating func expire(
        context: inout UploadContext,
        at now: Instant
    ) throws(Uploader.Failure) {
        switch consume self {
        case .opening(let opening):
            self = .opening(opening)
            if now >= context.lastReplyAt + Uploader.openingLimit { throw .silent }
        case .streaming(var streaming):
            if streaming.heldCount > 0, now >= context.timeoutAt {
                context.noteTimeout()
                streaming.giveUpAllRequests(keeping: Self.staleCountMax)
                self = streaming.rewoundToDevice()
            } else {
                self = .streaming(streaming)
            }
            if now >= context.silentAt { throw .silent }
            if now >= context.stalledAt { throw .stalled }
        case .complete:
            self = .complete
        }
    }
}
