import BLEOTACore

extension ESPState {
    mutating func received(
        _ message: ESPMessage.Received,
        context: inout ESPContext,
        at now: Instant
    ) throws(ESPFailure) {
        if case .sector(ESPSector.indexOfNone, .success, _) = message { throw .unchecked }
        switch consume self {
        case .asking(let asking):
            let (question, isDue) = (asking.question, asking.isDue)
            self = .asking(asking)
            if isDue { return }
            if let next = try context.answered(question, by: message, at: now) { self = next }
        case .streaming(var streaming):
            guard case .sector(let index, let status, _) = message else {
                self = .streaming(streaming)
                return
            }
            let sector = streaming.sector
            let isIdle = streaming.packets.isEmpty
            streaming.lastNewsAt = now
            self = .streaming(streaming)
            if status == .success {
                guard (context.takenSectorCount..<sector).contains(index) else { return }
                context.noteTaken(sectorCount: index + 1)
                if index + 1 == context.sectorCount { self = .asking(.stop, at: now) }
                return
            }
            // A device may repeat an answer about a sector that it has accepted since.
            let range = context.takenSectorCount..<context.begunSectorCount
            guard range.contains(index) else { return }
            let isOnlyOne = isIdle && sector == index + 1
            if status == .wrongIndex, context.isUntried {
                self = try context.foundForeign(at: now)
            } else if status == .crcError, isOnlyOne {
                try context.noteDamage(from: index)
                self = .streaming(from: index, at: now)
            } else {
                // More such answers may be in flight, up to one for each packet.
                self = .asking(.position(isAfterStart: false), at: now)
            }
        case .unlinked: self = .unlinked
        case .finished(let isReported): self = .finished(isReported: isReported)
        }
    }
}

extension ESPContext {
    /// - Returns: the next state; `nil` if the message does not answer the request.
    fileprivate mutating func answered(
        _ question: ESPState.Question,
        by message: ESPMessage.Received,
        at now: Instant
    ) throws(ESPFailure) -> ESPState? {
        switch (question, message) {
        case (.start, .answer(.start, isAccepted: true, let window)):
            noteStarted(window: window)
            return hasBegun
                ? .asking(.position(isAfterStart: true), at: now) : .streaming(from: 0, at: now)
        case (.start, .answer(.start, isAccepted: false, _)):
            if hasForgotten { throw .startRefused }
            hasForgotten = true
            return .asking(.forget, at: now)
        case (.forget, .answer(.stop, _, _)):
            return .asking(.start, at: now)
        case (.position(let isAfterStart), .sector(ESPSector.indexOfNone, .wrongIndex, let wanted)):
            return try isAfterStart ? started(at: wanted, now) : repeated(from: wanted, now)
        case (.position, .sector(let index, .success, _)):
            if (takenSectorCount..<begunSectorCount).contains(index) {
                noteTaken(sectorCount: index + 1)
            }
            return nil
        case (.clear(let sector), .sector(let index, let status, _)) where index == sector:
            switch status {
            case .crcError, .wrongLength: return .streaming(from: sector, at: now)
            case .wrongIndex: return .asking(.position(isAfterStart: false), at: now)
            case .success: throw .unchecked
            }
        case (.stop, .answer(.stop, let isAccepted, _)):
            guard isAccepted else { throw .stopRefused }
            return .finished(isReported: false)
        default: return nil
        }
    }

    /// Asks the device to forget sectors that this push has not sent. They may be of any image.
    fileprivate mutating func foundForeign(at now: Instant) throws(ESPFailure) -> ESPState {
        if hasForgotten { throw .leftOver }
        noteForeign()
        return .asking(.forget, at: now)
    }

    /// Continues at the sector that the device expects after it has accepted Start over a new link.
    private mutating func started(at sector: Int, _ now: Instant) throws(ESPFailure) -> ESPState {
        guard sector <= begunSectorCount else { return try foundForeign(at: now) }
        noteKept(sectorCount: sector)
        return sector == sectorCount ? .asking(.stop, at: now) : .streaming(from: sector, at: now)
    }

    /// Continues at the sector that the device expects after sectors have been sent.
    private mutating func repeated(
        from sector: Int,
        _ now: Instant
    ) throws(ESPFailure) -> ESPState {
        guard sector <= begunSectorCount else {
            throw .notUnderstood("a request for a sector that has not been sent yet")
        }
        if sector == begunSectorCount {
            // Only the answer was lost.
            noteTaken(sectorCount: sector)
            let isWhole = sector == sectorCount
            return isWhole ? .asking(.stop, at: now) : .streaming(from: sector, at: now)
        }
        try noteDamage(from: sector)
        return .asking(.clear(sector: sector), at: now)
    }
}
