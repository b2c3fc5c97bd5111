import BLEOTACore

extension SecureState {
    mutating func linkUp(context: inout SecureContext, at now: Instant) {
        switch consume self {
        case .finished(let isReported): self = .finished(isReported: isReported)
        default:
            context.receiptInterval = context.window.receiptInterval
            self = .asking(.receipts(before: .select(.initPacket)), at: now)
        }
    }

    mutating func linkDown(context: inout SecureContext) {
        switch consume self {
        case .finished(let isReported): self = .finished(isReported: isReported)
        case .asking(let asking):
            if case .execute(let object, _) = asking.question, !asking.isDue {
                context.mayBeFinished =
                    object.kind == .firmware
                    && object.range.upperBound == context.part.firmware.count
            }
            self = .unlinked
        default: self = .unlinked
        }
    }

    mutating func next(context: inout SecureContext, at now: Instant) -> DFUAction? {
        switch consume self {
        case .asking(var asking):
            guard asking.isDue else {
                self = .asking(asking)
                return nil
            }
            asking.isDue = false
            let request = asking.question.request(context)
            self = .asking(asking)
            return .request(request.bytes)
        case .streaming(var streaming):
            if streaming.isAllSent {
                guard streaming.nextReceiptOffset != streaming.object.range.upperBound else {
                    self = .streaming(streaming)
                    return nil
                }
                self = streaming.checking(at: now)
                return next(context: &context, at: now)
            }
            guard streaming.inFlightCount < context.window.packetCount else {
                self = .streaming(streaming)
                return nil
            }
            let object = streaming.object
            let range = streaming.takePacket(at: now)
            self = .streaming(streaming)
            context.noteSent(range, of: object)
            return .packet(context.bytes(of: object, range))
        case .finished(isReported: false):
            self = .finished(isReported: true)
            return .finish
        case .finished(isReported: true):
            self = .finished(isReported: true)
            return nil
        case .unlinked:
            self = .unlinked
            return nil
        }
    }

    func deadline(_ context: SecureContext) -> Instant? {
        switch self {
        case .asking(let asking):
            let end = asking.end(context)
            return asking.question.isChecksum
                ? min(asking.askedAt + SecureDFU.quietLimit, end) : end
        case .streaming(let streaming):
            return max(streaming.lastSentAt, context.lastNewsAt) + SecureDFU.quietLimit
        default: return nil
        }
    }

    mutating func expire(context: inout SecureContext, at now: Instant) throws(DFUFailure) {
        switch consume self {
        case .asking(let asking):
            let isSilent = now >= asking.end(context)
            let isQuiet = now >= asking.askedAt + SecureDFU.quietLimit
            if case .checksum(let object, let sentOffset, let receipts) = asking.question,
                isQuiet, !isSilent
            {
                // The answer may have been taken for a receipt with the same offset.
                let none = Receipts(
                    from: receipts.start,
                    interval: 0,
                    packetByteCount: receipts.packetByteCount
                )
                self = asking.replaced(
                    by: .asking(.checksum(object, sentOffset: sentOffset, none), at: now)
                )
            } else {
                self = .asking(asking)
            }
            if isSilent { throw .silent }
        case .streaming(let streaming):
            let quietAt = max(streaming.lastSentAt, context.lastNewsAt) + SecureDFU.quietLimit
            self = now >= quietAt ? streaming.checking(at: now) : .streaming(streaming)
        case .unlinked: self = .unlinked
        case .finished(let isReported): self = .finished(isReported: isReported)
        }
    }
}

extension SecureState.Asking {
    /// The time from which the device has been silent for too long.
    func end(_ context: SecureContext) -> Instant {
        let limit =
            switch question {
            case .create, .execute: max(context.silenceLimit, SecureDFU.workLimit)
            case .receipts, .select, .checksum: context.silenceLimit
            }
        // The checksum may be requested again, so the time counts from the last answer.
        return (question.isChecksum ? context.lastNewsAt : askedAt) + limit
    }
}

extension SecureState.Question {
    fileprivate var isChecksum: Bool {
        if case .checksum = self { true } else { false }
    }

    func request(_ context: SecureContext) -> SecureRequest {
        switch self {
        case .receipts: .setReceipts(everyPacketCount: context.receiptInterval)
        case .select(let kind): .select(kind)
        case .create(let object): object.create
        case .checksum: .checksum
        case .execute: .execute
        }
    }
}

extension SecureContext {
    fileprivate mutating func noteSent(_ range: Range<Int>, of object: SecureObject) {
        switch object.kind {
        case .initPacket: counters.noteInitPacket(byteCount: range.count)
        case .firmware: counters.noteFirmware(range)
        }
    }
}
