import BLEOTACore

extension LegacyState {
    mutating func received(
        _ message: LegacyMessage.Received,
        context: inout LegacyContext,
        at now: Instant
    ) throws(DFUFailure) {
        switch consume self {
        case .asking(let asking):
            let (question, askedAt) = (asking.question, asking.askedAt)
            let isAsked = asking.due.isEmpty
            self = .asking(asking)
            guard isAsked, case .response(question.request, let result) = message else { return }
            self = try context.answered(question, askedAt: askedAt, by: result, at: now)
        case .streaming(var streaming):
            let isAllSent = streaming.sentOffset == context.part.firmware.count
            switch message {
            case .receipt(let byteCount):
                // A receipt states how much firmware has arrived, so a receipt that states more
                // than was sent is ignored.
                if byteCount <= streaming.sentOffset {
                    context.deviceByteCount = max(context.deviceByteCount, byteCount)
                    streaming.lastSentAt = now
                }
                self = .streaming(streaming)
            case .response(LegacyMessage.Request.receive, let result):
                self = .streaming(streaming)
                self = try context.received(result, isAllSent: isAllSent, at: now)
            case .response: self = .streaming(streaming)
            }
        case .unlinked: self = .unlinked
        case .activating: self = .activating
        case .finished(let isReported): self = .finished(isReported: isReported)
        }
    }
}

extension LegacyContext {
    fileprivate mutating func answered(
        _ question: LegacyState.Question,
        askedAt: Instant,
        by result: LegacyResult,
        at now: Instant
    ) throws(DFUFailure) -> LegacyState {
        switch (question, result) {
        case (.start, .success):
            startDuration = startDuration ?? now - askedAt
            return .asking(.initPacket, LegacyMessage.initPacket(part.initPacket), at: now)
        case (.start, .invalidState) where resetCount < LegacyDFU.resetCountMax:
            resetCount += 1
            return .asking(.reset, [.request([LegacyMessage.Request.reset])], at: now)
        case (.initPacket, .success):
            return .streaming(
                LegacyState.Streaming(
                    due: LegacyMessage.receive(receiptInterval: receiptInterval),
                    lastSentAt: now
                )
            )
        case (.validation, .success): return .activating
        case (.validation, .wrongCRC):
            if noteLoss() { throw .lost }
            throw .refusedByLegacy(result, .validation)
        default: throw .refusedByLegacy(result, question.step)
        }
    }

    /// Handles the device's answer that it has all of the firmware, or that it refuses the
    /// firmware.
    fileprivate mutating func received(
        _ result: LegacyResult,
        isAllSent: Bool,
        at now: Instant
    ) throws(DFUFailure) -> LegacyState {
        guard result == .success else { throw .refusedByLegacy(result, .firmware) }
        guard isAllSent else {
            throw .notUnderstood("a confirmation of firmware that has not been sent yet")
        }
        deviceByteCount = part.firmware.count
        return .asking(
            .validation,
            [.request([LegacyMessage.Request.validate])],
            at: now
        )
    }
}
