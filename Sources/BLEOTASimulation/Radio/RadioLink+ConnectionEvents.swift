import BLEOTACore

/// Connection events (Bluetooth Core 5.4, volume 6, part B, 4.5.1, 4.5.6 and 4.5.9).
extension RadioLink {
    func moment(ofEvent number: Int64) -> Instant {
        anchor + Microseconds(number * settings.connectionInterval.rawValue)
    }

    func numberOfNextEvent(after moment: Instant) -> Int64 {
        let interval = settings.connectionInterval.rawValue
        let since = (moment - anchor).rawValue
        return max(eventNumber + 1, (since + interval - 1) / interval)
    }

    /// Schedules the next connection event with data, unless one is already scheduled.
    mutating func wake(at now: Instant) {
        guard readyAt == nil, lostEnds.isEmpty else { return }
        guard case .none = step else { return }
        guard sides[End.central.rawValue].hasPacket || sides[End.peripheral.rawValue].hasPacket
        else { return }
        noteIdleEvents(before: now)
        readyAt = now
    }

    mutating func beginEvent(at now: Instant, _ random: inout SimulationRandom) {
        guard let readyAt else { return }
        eventNumber = numberOfNextEvent(after: readyAt)
        sides[End.central.rawValue].sentCount = 0
        sides[End.peripheral.rawValue].sentCount = 0
        isFirstExchange = true
        centralSends(at: now, &random)
    }

    /// The length of an end's next packet; 0 if it may not send another data packet in this
    /// event.
    private mutating func packetByteCount(of end: End) -> Int {
        guard sides[end.rawValue].sentCount < settings.packetCountMax else { return 0 }
        sides[end.rawValue].beginFrame()
        return sides[end.rawValue].firstPacketByteCount
    }

    /// The time by which the packets of this event must end.
    private var endOfEvent: Instant {
        let next = moment(ofEvent: eventNumber + 1)
        return next + Microseconds(-settings.frameSpaces.betweenEvents.rawValue)
    }

    mutating func centralSends(at now: Instant, _ random: inout SimulationRandom) {
        let byteCount = packetByteCount(of: .central)
        let isDamaged = random.chance(settings.packetErrorRate) || isFaded(at: now)
        let sentAt = now + settings.airTime(ofData: byteCount)
        if byteCount > 0 { sides[End.central.rawValue].sentCount += 1 }
        if !isDamaged {
            sides[End.peripheral.rawValue].heardAt = sentAt
            if byteCount > 0 { deliverFirstPacket(of: .central, at: sentAt, &random) }
        }
        step = .peripheralSends(
            at: sentAt + settings.frameSpaces.centralToPeripheral,
            isCentralPacketDamaged: isDamaged
        )
    }

    mutating func peripheralSends(at now: Instant, _ random: inout SimulationRandom) {
        var byteCount = packetByteCount(of: .peripheral)
        let space = settings.frameSpaces.peripheralToCentral
        // Any event has time for two packets. After those, a packet must also leave time for the
        // gap that follows it.
        let end = now + settings.airTime(ofData: byteCount) + (isFirstExchange ? .zero : space)
        if end > endOfEvent { byteCount = 0 }
        let isDamaged = random.chance(settings.packetErrorRate) || isFaded(at: now)
        let sentAt = now + settings.airTime(ofData: byteCount)
        if byteCount > 0 { sides[End.peripheral.rawValue].sentCount += 1 }
        guard !isDamaged else { return endEvent(at: sentAt) }
        sides[End.central.rawValue].heardAt = sentAt
        if byteCount > 0 {
            deliverFirstPacket(of: .peripheral, at: sentAt, &random)
            sides[End.peripheral.rawValue].endPacket()
        }
        // The peripheral's packet acknowledges the central's.
        if sides[End.central.rawValue].isFirstPacketKnown {
            sides[End.central.rawValue].endPacket()
        }
        let next = packetByteCount(of: .central)
        let isMore = next > 0 || packetByteCount(of: .peripheral) > 0
        guard isMore, sentAt + space + settings.exchangeTime(ofData: next) <= endOfEvent else {
            return endEvent(at: sentAt)
        }
        isFirstExchange = false
        step = .centralSends(at: sentAt + space)
    }

    mutating func endEvent(at now: Instant) {
        step = .none
        let isMore =
            sides[End.central.rawValue].hasPacket || sides[End.peripheral.rawValue].hasPacket
        readyAt = isMore ? now : nil
    }
}
