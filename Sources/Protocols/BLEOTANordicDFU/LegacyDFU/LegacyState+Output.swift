import BLEOTACore

extension LegacyState {
    mutating func next(context: inout LegacyContext, at now: Instant) -> DFUAction? {
        switch consume self {
        case .asking(var asking):
            let action = asking.due.isEmpty ? nil : asking.due.removeFirst()
            self = .asking(asking)
            return action
        case .streaming(var streaming):
            if !streaming.due.isEmpty {
                let action = streaming.due.removeFirst()
                streaming.lastSentAt = now
                self = .streaming(streaming)
                return action
            }
            let start = streaming.sentOffset
            let inFlightCount =
                (start - context.deviceByteCount) / LegacyDFU.packetByteCountMax
            guard start < context.part.firmware.count, inFlightCount < context.window else {
                self = .streaming(streaming)
                return nil
            }
            let end = min(start + LegacyDFU.packetByteCountMax, context.part.firmware.count)
            streaming.sentOffset = end
            streaming.lastSentAt = now
            self = .streaming(streaming)
            context.noteSent(start..<end)
            return .packet(Array(context.part.firmware[start..<end]))
        case .activating:
            // The device does not answer: it ends the link.
            self = .finished(isReported: false)
            return .request([LegacyMessage.Request.activate])
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

    func deadline(_ context: LegacyContext) -> Instant? {
        switch self {
        case .asking(let asking):
            let limit =
                switch asking.question {
                case .start: context.startLimit
                case .initPacket: context.silenceLimit
                case .validation: max(context.silenceLimit, LegacyDFU.workLimit)
                case .reset: LegacyDFU.resetLimit
                }
            return asking.askedAt + limit
        case .streaming(let streaming): return streaming.lastSentAt + context.silenceLimit
        default: return nil
        }
    }

    /// The failure if nothing has arrived by the deadline.
    func failure(context: inout LegacyContext) -> DFUFailure {
        switch self {
        case .asking(let asking): return asking.question == .reset ? .leftOver : .silent
        default: return context.noteLoss() ? .lost : .silent
        }
    }
}
