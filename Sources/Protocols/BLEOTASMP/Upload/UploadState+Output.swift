import BLEOTACore

extension UploadState {
    func deviceOffset(_ context: UploadContext) -> Int {
        switch self {
        case .opening: 0
        case .streaming(let streaming): streaming.deviceOffset
        case .complete: context.announcement.imageByteCount
        }
    }

    var inFlightCount: Int {
        switch self {
        case .opening(let opening): opening.sent == nil ? 0 : 1
        case .streaming(let streaming): streaming.heldCount
        case .complete: 0
        }
    }

    func deadline(_ context: UploadContext) -> Instant? {
        switch self {
        case .opening(let opening):
            return min(opening.repeatAt, context.lastReplyAt + Uploader.openingLimit)
        case .streaming(let streaming):
            let end = min(context.silentAt, context.stalledAt)
            // With no request in flight, the next one waits for the end of a pause.
            return min(end, streaming.heldCount > 0 ? context.timeoutAt : context.postponedUntil)
        case .complete: return nil
        }
    }

    mutating func nextChunk(
        sequence: UInt8,
        context: inout UploadContext,
        at now: Instant
    ) throws(Uploader.Failure) -> UploadChunk? {
        switch consume self {
        case .opening(var opening):
            guard now >= opening.repeatAt else {
                self = .opening(opening)
                return nil
            }
            guard let chunk = context.chunk(at: 0) else {
                self = .opening(opening)
                throw .bufferTooShort
            }
            opening.sent = context.sent(chunk, sequence, epoch: 0, at: now)
            // Over a link that loses nothing, a repetition would only fill the device's buffers.
            opening.repeatAt =
                now + (context.isReliable ? Uploader.openingPauseMax : opening.pause)
            opening.pause = min(opening.pause * 2, Uploader.openingPauseMax)
            self = .opening(opening)
            return chunk
        case .streaming(var streaming):
            guard streaming.nextOffset < context.announcement.imageByteCount,
                streaming.heldCount < context.window.size, now >= context.postponedUntil
            else {
                self = .streaming(streaming)
                return nil
            }
            guard let chunk = context.chunk(at: streaming.nextOffset) else {
                self = .streaming(streaming)
                throw .bufferTooShort
            }
            streaming.inFlight.append(
                context.sent(chunk, sequence, epoch: streaming.epoch, at: now)
            )
            streaming.nextOffset = chunk.end
            self = .streaming(streaming)
            return chunk
        case .complete:
            self = .complete
            return nil
        }
    }
}

extension UploadContext {
    fileprivate func chunk(at offset: Int) -> UploadChunk? {
        .largest(at: offset, of: announcement, packetByteCountMax: limits.packetByteCountMax)
    }

    fileprivate mutating func sent(
        _ chunk: UploadChunk,
        _ sequence: UInt8,
        epoch: UInt32,
        at now: Instant
    ) -> InFlightRequest {
        noteSent(chunk, at: now)
        return InFlightRequest(sequence: sequence, end: chunk.end, epoch: epoch, sentAt: now)
    }
}
