import BLEOTACore

/// A link of Bluetooth LE in virtual time: values wait at either end, connection events carry their
/// packets, and what arrives is an attribute's value again.
///
/// In each event the central and the peripheral send in turn, the peripheral only in answer, until
/// neither has more or the time is over. A packet that is damaged ends its event, and is sent
/// again in the next one. Of requests one is on its way at a time, until its response is back;
/// commands and notifications go as they come.
///
/// Simpler than a radio: a peripheral's packet that arrives counts as acknowledged at once, and
/// clocks don't drift.
struct RadioLink<Token> {
    /// An end of the link.
    enum End: Hashable {
        case central
        case peripheral

        var other: End { self == .central ? .peripheral : .central }
    }

    /// How a value is sent.
    enum Operation: Hashable {
        case command
        case request
        case notification
    }

    /// A value that has come to a host.
    struct Arrival {
        let token: Token
        /// Where it came to.
        let end: End
    }

    private enum Event {
        case value(Token, End)
        case requestArrived(End)
        case responseArrived(End)
    }

    private enum Step {
        /// No event goes on.
        case none
        case centralSends(at: Instant)
        case peripheralSends(at: Instant, isCentralPacketDamaged: Bool)
    }

    private struct Queued {
        enum Kind {
            case value(Token, Operation)
            case response
        }

        let kind: Kind
        let byteCount: Int
        var packets: [Int]
    }

    private struct Side {
        var queue = Fifo<Queued>()
        var waitingRequests = Fifo<Queued>()
        var isRequestOutstanding = false
        var sentCount = 0
        /// The other end has the first packet, and this one does not know it.
        var isFirstPacketKnown = false
        var queuedByteCount = 0
        var queuedByteCountMax = 0

        var firstPacketByteCount: Int { queue.first?.packets.first ?? 0 }
    }

    /// An ATT response without parameters, such as that to a write: its opcode and L2CAP's header.
    private static var responsePacketByteCount: Int { 1 + 4 }

    let settings: RadioSettings
    private var sides: [End: Side] = [.central: Side(), .peripheral: Side()]
    private var events = EventQueue<Event>()
    private var step = Step.none
    private var eventNumber: Int64 = -1
    private var readyAt: Instant?

    init(_ settings: RadioSettings) {
        precondition(
            settings.isPossible,
            "two of the longest packets do not fit a connection event"
        )
        self.settings = settings
    }

    // MARK: - What hosts see

    /// A host gives a value to its end of the link.
    mutating func send(
        _ token: Token,
        byteCount: Int,
        as operation: Operation,
        from end: End,
        at now: Instant
    ) {
        put(
            Queued(
                kind: .value(token, operation),
                byteCount: byteCount,
                packets: settings.packetByteCounts(ofValue: byteCount)
            ),
            from: end,
            at: now
        )
    }

    /// Whether a request of this end is on its way, or waits for one that is.
    func isRequesting(_ end: End) -> Bool { sides[end]!.isRequestOutstanding }

    /// The values that this end has, and the other one not yet, in bytes; the most there were.
    func queuedByteCountMax(at end: End) -> Int { sides[end]!.queuedByteCountMax }

    /// When something happens next; `nil` while there is nothing to carry.
    var nextMoment: Instant? {
        let carried = events.nextMoment
        let stepped: Instant? =
            switch step {
            case .centralSends(let moment), .peripheralSends(let moment, _): moment
            case .none: readyAt.map { moment(ofEvent: numberOfNextEvent(after: $0)) }
            }
        guard let carried, let stepped else { return carried ?? stepped }
        return min(carried, stepped)
    }

    /// Does what is due, which is at ``nextMoment`` and no later; returns the value that has come
    /// to a host by it, if any.
    mutating func advance(to now: Instant, _ random: inout SimulationRandom) -> Arrival? {
        if let moment = events.nextMoment, moment <= now {
            switch events.takeFirst() {
            case .value(let token, let end): return Arrival(token: token, end: end)
            case .requestArrived(let end): respond(from: end, at: now)
            case .responseArrived(let end): endRequest(of: end, at: now)
            }
            return nil
        }
        switch step {
        case .none: beginEvent(at: now, &random)
        case .centralSends: centralSends(at: now, &random)
        case .peripheralSends(_, let isDamaged):
            isDamaged ? endEvent(at: now) : peripheralSends(at: now, &random)
        }
        return nil
    }

    // MARK: - Requests

    private mutating func put(_ value: Queued, from end: End, at now: Instant) {
        sides[end]!.queuedByteCount += value.byteCount
        sides[end]!.queuedByteCountMax = max(
            sides[end]!.queuedByteCountMax,
            sides[end]!.queuedByteCount
        )
        if case .value(_, .request) = value.kind {
            guard !sides[end]!.isRequestOutstanding else {
                sides[end]!.waitingRequests.append(value)
                return
            }
            sides[end]!.isRequestOutstanding = true
        }
        enqueue(value, from: end, at: now)
    }

    private mutating func enqueue(_ value: Queued, from end: End, at now: Instant) {
        sides[end]!.queue.append(value)
        if readyAt == nil { readyAt = now }
    }

    private mutating func respond(from end: End, at now: Instant) {
        let packets = [Self.responsePacketByteCount]
        enqueue(Queued(kind: .response, byteCount: 0, packets: packets), from: end, at: now)
    }

    private mutating func endRequest(of end: End, at now: Instant) {
        guard !sides[end]!.waitingRequests.isEmpty else {
            sides[end]!.isRequestOutstanding = false
            return
        }
        enqueue(sides[end]!.waitingRequests.removeFirst(), from: end, at: now)
    }

    // MARK: - Connection events

    private func moment(ofEvent number: Int64) -> Instant {
        Instant(microseconds: number * settings.connectionInterval.rawValue)
    }

    private func numberOfNextEvent(after moment: Instant) -> Int64 {
        let interval = settings.connectionInterval.rawValue
        return max(eventNumber + 1, (moment.microseconds + interval - 1) / interval)
    }

    private mutating func beginEvent(at now: Instant, _ random: inout SimulationRandom) {
        guard let readyAt else { return }
        eventNumber = numberOfNextEvent(after: readyAt)
        sides[.central]!.sentCount = 0
        sides[.peripheral]!.sentCount = 0
        centralSends(at: now, &random)
    }

    /// The first packet of an end, if it may send one more with data in this event.
    private func packetByteCount(of end: End) -> Int {
        let side = sides[end]!
        return side.sentCount < settings.packetCountMax ? side.firstPacketByteCount : 0
    }

    /// When the packets of this event have to be over.
    private var endOfEvent: Instant {
        moment(ofEvent: eventNumber + 1) + Microseconds(-RadioSettings.interFrameSpace.rawValue)
    }

    private mutating func centralSends(at now: Instant, _ random: inout SimulationRandom) {
        let byteCount = packetByteCount(of: .central)
        let isDamaged = random.chance(settings.packetErrorRate)
        let sentAt = now + settings.airTime(ofData: byteCount)
        if byteCount > 0 {
            sides[.central]!.sentCount += 1
            if !isDamaged { deliverFirstPacket(of: .central, at: sentAt, &random) }
        }
        step = .peripheralSends(
            at: sentAt + RadioSettings.interFrameSpace,
            isCentralPacketDamaged: isDamaged
        )
    }

    private mutating func peripheralSends(at now: Instant, _ random: inout SimulationRandom) {
        var byteCount = packetByteCount(of: .peripheral)
        let space = RadioSettings.interFrameSpace
        if now + settings.airTime(ofData: byteCount) + space > endOfEvent { byteCount = 0 }
        let isDamaged = random.chance(settings.packetErrorRate)
        let sentAt = now + settings.airTime(ofData: byteCount)
        if byteCount > 0 { sides[.peripheral]!.sentCount += 1 }
        guard !isDamaged else { return endEvent(at: sentAt) }
        if byteCount > 0 {
            deliverFirstPacket(of: .peripheral, at: sentAt, &random)
            removeFirstPacket(of: .peripheral)
        }
        // The answer acknowledges what the central sent.
        if sides[.central]!.isFirstPacketKnown { removeFirstPacket(of: .central) }
        let next = packetByteCount(of: .central)
        let isMore = next > 0 || packetByteCount(of: .peripheral) > 0
        guard isMore, sentAt + space + settings.exchangeTime(ofData: next) <= endOfEvent else {
            return endEvent(at: sentAt)
        }
        step = .centralSends(at: sentAt + space)
    }

    private mutating func endEvent(at now: Instant) {
        step = .none
        let isEmpty = sides[.central]!.queue.isEmpty && sides[.peripheral]!.queue.isEmpty
        readyAt = isEmpty ? nil : now
    }

    // MARK: - Packets

    /// The other end gets the first packet; with the last one of a value its host gets that.
    private mutating func deliverFirstPacket(
        of end: End,
        at moment: Instant,
        _ random: inout SimulationRandom
    ) {
        guard !sides[end]!.isFirstPacketKnown else { return }
        sides[end]!.isFirstPacketKnown = true
        guard let value = sides[end]!.queue.first else { return }
        guard value.packets.count == 1 else { return }
        let arrivesAt = moment + settings.hostLatency
        switch value.kind {
        case .response: events.put(.responseArrived(end.other), at: arrivesAt)
        case .value(let token, .request):
            events.put(.value(token, end.other), at: arrivesAt)
            events.put(.requestArrived(end.other), at: arrivesAt)
        case .value(let token, _):
            guard !random.chance(settings.valueLoss) else { return }
            events.put(.value(token, end.other), at: arrivesAt)
        }
    }

    private mutating func removeFirstPacket(of end: End) {
        sides[end]!.isFirstPacketKnown = false
        let isOver = sides[end]!.queue.changeFirst { value in
            value.packets.removeFirst()
            return value.packets.isEmpty
        }
        guard isOver else { return }
        sides[end]!.queuedByteCount -= sides[end]!.queue.removeFirst().byteCount
    }
}
