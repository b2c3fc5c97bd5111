import BLEOTACore

/// The conclusions from the answers of a device.
extension SecureContext {
    mutating func answered(
        _ question: SecureState.Question,
        askedAt: Instant,
        by response: SecureResponse,
        at now: Instant
    ) throws(DFUFailure) -> SecureState {
        switch question {
        case .receipts(let next):
            guard response.result.isSuccess else { throw .refused(response.result, .start) }
            switch next {
            case .select(let kind): return .asking(.select(kind), at: now)
            case .create(let object): return .asking(.create(object), at: now)
            case .stream(let object, let offset):
                return .streaming(object, from: offset, self, at: now)
            }
        case .select(let kind):
            guard response.result.isSuccess else { throw .refused(response.result, .start) }
            guard let (byteCountMax, state) = response.selection else {
                throw .notUnderstood("a response to Select that is too short")
            }
            return kind == .initPacket
                ? try selectedInitPacket(state, byteCountMax: byteCountMax, at: now)
                : try selectedFirmware(state, byteCountMax: byteCountMax, at: now)
        case .create(let object):
            guard response.result.isSuccess else {
                throw .refused(response.result, object.kind.step)
            }
            return .streaming(object, from: object.range.lowerBound, self, at: now)
        case .checksum(let object, let sentOffset, let receipts):
            guard response.result.isSuccess else {
                throw .refused(response.result, object.kind.step)
            }
            guard let state = response.checksum else {
                throw .notUnderstood("a response to the checksum request that is too short")
            }
            return try checked(object, sentOffset, receipts, state, askedAt: askedAt, at: now)
        case .execute(let object, let isLeftOver):
            return try executed(object, response.result, isLeftOver: isLeftOver, at: now)
        }
    }

    private mutating func selectedInitPacket(
        _ state: SecureResponse.ObjectState,
        byteCountMax: Int,
        at now: Instant
    ) throws(DFUFailure) -> SecureState {
        let object = initPacketObject
        if object.range.count > byteCountMax {
            throw .refused(SecureResult(code: SecureResult.Code.insufficientResources), .initPacket)
        }
        guard state.offset > 0, isRight(state, of: .initPacket) else {
            return .asking(.create(object), at: now)
        }
        return state.offset == object.range.count
            ? .asking(.execute(object, isLeftOver: true), at: now)
            : .streaming(object, from: state.offset, self, at: now)
    }

    private mutating func selectedFirmware(
        _ state: SecureResponse.ObjectState,
        byteCountMax: Int,
        at now: Instant
    ) throws(DFUFailure) -> SecureState {
        guard noteObjectByteCountMax(byteCountMax) else {
            throw .notUnderstood("a maximum object size of 0 bytes")
        }
        let isComplete = state.offset == part.firmware.count
        let isAtBoundary = state.offset % byteCountMax == 0 || isComplete
        let isKept = state.offset > 0 && isRight(state, of: .firmware)
        noteResumed(from: isKept ? state.offset : 0)
        if state.offset == 0 { return creating(firmwareObject(at: 0), at: now) }
        if isKept {
            if !isAtBoundary {
                return .streaming(
                    firmwareObject(at: state.offset),
                    from: state.offset,
                    self,
                    at: now
                )
            }
            return .asking(
                .execute(firmwareObject(at: state.offset - 1), isLeftOver: true),
                at: now
            )
        }
        // Only the last object can be replaced, but the checksum covers all of them.
        if isAtBoundary || state.offset > part.firmware.count { return try restarted(at: now) }
        let object = firmwareObject(at: state.offset)
        return try repeated(object, from: object.range.lowerBound, at: now)
    }

    private mutating func checked(
        _ object: SecureObject,
        _ sentOffset: Int,
        _ receipts: Receipts,
        _ state: SecureResponse.ObjectState,
        askedAt: Instant,
        at now: Instant
    ) throws(DFUFailure) -> SecureState {
        let (start, end) = (object.range.lowerBound, object.range.upperBound)
        guard isRight(state, of: object.kind), (start...sentOffset).contains(state.offset) else {
            return try repeated(object, from: start, at: now)
        }
        if state.offset == sentOffset {
            noteArrived(sentOffset, of: object)
            if sentOffset == end { return .asking(.execute(object, isLeftOver: false), at: now) }
            // The device counts packets differently; make both sides count from here.
            return .asking(.receipts(before: .stream(object, from: sentOffset)), at: now)
        }
        if state.offset == receipts.nextOffset(sentOffset: sentOffset, end: end) {
            // This is a receipt that the device sent before the answer.
            var receipts = receipts
            receipts.noteSeen()
            let question = SecureState.Question.checksum(object, sentOffset: sentOffset, receipts)
            return .asking(
                SecureState.Asking(question: question, isDue: false, askedAt: askedAt)
            )
        }
        noteArrived(state.offset, of: object)
        return try repeated(object, from: state.offset, at: now)
    }

    private mutating func executed(
        _ object: SecureObject,
        _ result: SecureResult,
        isLeftOver: Bool,
        at now: Instant
    ) throws(DFUFailure) -> SecureState {
        let isLast = object.kind == .firmware && object.range.upperBound == part.firmware.count
        // A device that has executed an object does not execute it again.
        let isExecuted = result.isSuccess || isLeftOver && result.isNotPermitted && !isLast
        guard isExecuted else {
            if isLeftOver {
                return object.kind == .initPacket
                    ? .asking(.create(object), at: now) : try restarted(at: now)
            }
            throw .refused(result, isLast ? .validation : object.kind.step)
        }
        noteExecuted(object)
        if isLast { return .finished(isReported: false) }
        return object.kind == .initPacket
            ? .asking(.select(.firmware), at: now)
            : creating(firmwareObject(at: object.range.upperBound), at: now)
    }
}
