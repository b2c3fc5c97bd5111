import BLEOTACore

extension SecureState {
    mutating func received(
        _ response: SecureResponse,
        context: inout SecureContext,
        at now: Instant
    ) throws(DFUFailure) {
        switch consume self {
        case .asking(let asking):
            let (question, isDue, askedAt) = (asking.question, asking.isDue, asking.askedAt)
            self = .asking(asking)
            guard !isDue, response.request == question.request(context).opCode else { return }
            self = try context.answered(question, askedAt: askedAt, by: response, at: now)
        case .streaming(let streaming):
            let (object, deviceOffset) = (streaming.object, streaming.deviceOffset)
            guard response.request == SecureRequest.checksum.opCode else {
                self = .streaming(streaming)
                return
            }
            if response.result.isSuccess, let state = response.checksum {
                if state.offset <= deviceOffset {
                    self = .streaming(streaming)
                    return
                }
                if state.offset <= streaming.sentOffset, context.isRight(state, of: object.kind) {
                    context.noteArrived(state.offset, of: object)
                    if state.offset == object.range.upperBound {
                        self = streaming.replaced(
                            by: .asking(.execute(object, isLeftOver: false), at: now)
                        )
                    } else {
                        let isReceipt = state.offset == streaming.nextReceiptOffset
                        self = streaming.advanced(to: state.offset, isReceipt: isReceipt)
                    }
                    return
                }
            }
            self = .streaming(streaming)
            self = try context.repeated(object, from: object.range.lowerBound, at: now)
        case .unlinked: self = .unlinked
        case .finished(let isReported): self = .finished(isReported: isReported)
        }
    }
}

extension SecureContext {
    mutating func noteArrived(_ offset: Int, of object: SecureObject) {
        if object.kind == .firmware { noteFirmware(upTo: offset) }
    }

    /// Sends an object again from the offset up to which the device has it.
    mutating func repeated(
        _ object: SecureObject,
        from offset: Int,
        at now: Instant
    ) throws(DFUFailure) -> SecureState {
        if try noteDamage(object, from: offset) { return try restarted(at: now) }
        receiptInterval = window.receiptInterval
        // This request makes the device restart its count of packets until the next receipt.
        return .asking(
            .receipts(
                before: offset == object.range.lowerBound
                    ? .create(object) : .stream(object, from: offset)
            ),
            at: now
        )
    }

    /// Starts the transfer over, once, from the init packet. A new init packet makes the device
    /// discard its data.
    mutating func restarted(at now: Instant) throws(DFUFailure) -> SecureState {
        guard noteRestart() else { throw .damaged(atByte: 0) }
        return .asking(.create(initPacketObject), at: now)
    }

    /// Creates an object, and first changes the receipt interval if the window requires that.
    mutating func creating(_ object: SecureObject, at now: Instant) -> SecureState {
        if receiptInterval == window.receiptInterval { return .asking(.create(object), at: now) }
        receiptInterval = window.receiptInterval
        return .asking(.receipts(before: .create(object)), at: now)
    }
}
