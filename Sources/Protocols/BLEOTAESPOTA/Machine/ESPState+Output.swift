import BLEOTACore

extension ESPState {
    mutating func next(context: inout ESPContext, at now: Instant) -> ESPAction? {
        switch consume self {
        case .asking(var asking):
            let action = asking.isDue ? asking.question.action(context) : nil
            if asking.isDue {
                asking.isDue = false
                asking.askedAt = now
                asking.askCount += 1
            }
            self = .asking(asking)
            return action
        case .streaming(var streaming):
            if streaming.packets.isEmpty {
                let inFlightCount = streaming.sector - context.takenSectorCount
                let isLast = streaming.sector == context.sectorCount
                guard !isLast, inFlightCount < context.window else {
                    self = .streaming(streaming)
                    return nil
                }
                streaming.packets = ESPSector.packets(
                    streaming.sector,
                    of: context.firmware,
                    packetByteCount: context.packetByteCount
                )
                streaming.packets.reverse()
            }
            let packet = streaming.packets.removeLast()
            let isLast = streaming.packets.isEmpty
            context.noteSent(packet, of: streaming.sector, isLast: isLast)
            streaming.lastNewsAt = now
            if isLast { streaming.sector += 1 }
            self = .streaming(streaming)
            return .packet(packet, isRequest: !context.usesCommands)
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

    func deadline(_ context: ESPContext) -> Instant? {
        switch self {
        case .asking(let asking): asking.askedAt + asking.question.limit(context)
        case .streaming(let streaming): streaming.lastNewsAt + context.sectorLimit
        default: nil
        }
    }

    /// Handles a deadline that has passed.
    mutating func expire(at now: Instant) throws(ESPFailure) {
        switch consume self {
        case .asking(var asking):
            let isSilent = asking.askCount >= asking.question.askCountMax
            asking.isDue = true
            asking.askedAt = now
            self = .asking(asking)
            if isSilent { throw .silent }
        case .streaming:
            self = .asking(.position(isAfterStart: false), at: now)
        case .unlinked: self = .unlinked
        case .finished(let isReported): self = .finished(isReported: isReported)
        }
    }
}
