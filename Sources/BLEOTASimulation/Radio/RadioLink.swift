import BLEOTACore

/// A link of Bluetooth LE in virtual time: values wait at either end, connection events carry their
/// packets, and what arrives is an attribute's value again.
///
/// In each event the central and the peripheral send in turn, the peripheral only in answer, until
/// neither has more or the time is over (Bluetooth Core 5.4, volume 6, part B, 4.5.1 and 4.5.6). A
/// packet that is damaged ends its event, and is sent again in the next one. Of requests one is on
/// its way at a time on each bearer, until its response is back (volume 3, part F, 3.3.2); commands
/// and notifications go as they come.
///
/// Simpler than a radio: a peripheral's packet that arrives counts as acknowledged at once, an
/// event goes on after no damaged packet, clocks don't drift, and as long as neither end has
/// anything to send, only fades damage the empty packets that keep the link alive.
struct RadioLink<Token> {
    /// An end of the link.
    enum End: Int {
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

    /// What an end has to be told.
    enum Report {
        /// An application gets a value.
        case value(Token, at: End)
        /// The exchange of the ATT_MTU is over, and values can go.
        case ready
        /// An end has heard nothing for the supervision timeout. It sends and gets nothing more.
        case lost(at: End)
    }

    enum Event {
        /// An application gets a value.
        case value(Token, End)
        /// A value comes to a host whose application may be busy.
        case queued(Token, Operation, End, bearer: Int)
        /// The host of an end answers a request.
        case answer(PDU, End, bearer: Int)
        /// An end gets the response to its request.
        case responseArrived(End, bearer: Int)
        /// The host of an end has got a frame over a channel with credits.
        case frameTaken(End, bearer: Int, isLast: Bool)
        /// An end gets credit for more frames.
        case creditsArrived(End, bearer: Int, count: Int)
    }

    enum Step {
        /// No event goes on.
        case none
        case centralSends(at: Instant)
        case peripheralSends(at: Instant, isCentralPacketDamaged: Bool)
    }

    private(set) var settings: RadioSettings
    /// Of the central, and of the peripheral.
    var sides: [Side]
    var events = EventQueue<Event>()
    var step = Step.none
    var eventNumber: Int64 = -1
    /// Whether neither end has sent more than a packet in this event.
    var isFirstExchange = true
    var readyAt: Instant?
    /// The connection events are at this moment and each interval after it.
    let anchor: Instant
    var fades: [Fade]
    var lostEnds: Set<End> = []
    /// When the application of the peripheral takes the values that wait, oldest first.
    var takenAt = Fifo<Instant>()
    var applicationIsFreeAt = Instant(microseconds: 0)
    /// Of either host.
    var hostCourses: [HostPauses.Course]
    private(set) var droppedValueCount = 0
    private var isExchangingMTU = false

    /// A link whose first connection event is at this moment.
    ///
    /// - Parameter exchangesMTU: whether the central asks for the ATT_MTU first, as it does on each
    ///   new connection (Bluetooth Core 5.4, volume 3, part F, 3.4.2); ``Report/ready`` says when
    ///   that is over. Without, it is taken for done.
    init(
        _ settings: RadioSettings,
        connectedAt moment: Instant = Instant(microseconds: 0),
        exchangesMTU: Bool = false
    ) {
        precondition(
            settings.isPossible,
            "two of the longest packets do not fit a connection event, or two intervals the timeout"
        )
        self.settings = settings
        anchor = moment
        fades = Fade.merged(settings.fades)
        sides = [Side(settings, at: moment), Side(settings, at: moment)]
        hostCourses = [HostPauses.Course(), HostPauses.Course()]
        if exchangesMTU { exchangeMTU(at: moment) }
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
        guard operation != .command || end != .central || hasRoom else {
            droppedValueCount += 1
            return
        }
        sides[end.rawValue].note(queuedValueOf: byteCount)
        let pdu = PDU(
            content: .value(token, operation),
            byteCount: byteCount + RadioSettings.attHeaderByteCount,
            valueByteCount: byteCount
        )
        operation == .request
            ? request(pdu, from: end, at: now)
            : enqueue(pdu, on: sides[end.rawValue].takeNextBearer(), from: end, at: now)
    }

    /// Whether no bearer of this end is free for a request.
    func isRequesting(_ end: End) -> Bool {
        !sides[end.rawValue].waitingRequests.isEmpty || sides[end.rawValue].bearerForRequest == nil
    }

    /// Whether the central's host takes a command.
    var hasRoom: Bool {
        sides[End.central.rawValue].queuedValueCount < settings.sendQueueValueCountMax
    }

    /// The values that this end has, and the other one not yet, in bytes; the most there were.
    func queuedByteCountMax(at end: End) -> Int { sides[end.rawValue].queuedByteCountMax }

    /// Nothing goes wrong any more.
    mutating func heal() {
        settings = settings.healed
        fades = []
    }

    // MARK: - Time

    /// Whether there is anything to carry, or on its way to a host.
    var isCarrying: Bool {
        if case .none = step { return readyAt != nil || events.nextMoment != nil }
        return true
    }

    /// When something happens next; `nil` while there is nothing to carry, and no fade to come that
    /// ends the link.
    var nextMoment: Instant? {
        let stepped: Instant? =
            switch step {
            case .centralSends(let moment), .peripheralSends(let moment, _): moment
            case .none: readyAt.map { moment(ofEvent: numberOfNextEvent(after: $0)) }
            }
        let carried = Self.earlier(events.nextMoment, stepped)
        return settings.supervision == nil ? carried : Self.earlier(carried, lossMoment?.moment)
    }

    private static func earlier(_ left: Instant?, _ right: Instant?) -> Instant? {
        guard let left, let right else { return left ?? right }
        return min(left, right)
    }

    /// Does what is due, which is at ``nextMoment`` and no later; returns what an end has to be
    /// told of it, if anything.
    mutating func advance(to now: Instant, _ random: inout SimulationRandom) -> Report? {
        if let moment = events.nextMoment, moment <= now {
            return handle(events.takeFirst(), at: now)
        }
        if let loss = lossMoment, loss.moment <= now { return lose(loss.end, at: now) }
        switch step {
        case .none: beginEvent(at: now, &random)
        case .centralSends: centralSends(at: now, &random)
        case .peripheralSends(_, let isDamaged):
            isDamaged ? endEvent(at: now) : peripheralSends(at: now, &random)
        }
        return nil
    }

    private mutating func handle(_ event: Event, at now: Instant) -> Report? {
        switch event {
        case .value(let token, let end): return .value(token, at: end)
        case .queued(let token, let operation, let end, let bearer):
            queue(token, operation, at: end, bearer: bearer, now)
        case .answer(let pdu, let end, let bearer): enqueue(pdu, on: bearer, from: end, at: now)
        case .responseArrived(let end, let bearer):
            endRequest(of: end, on: bearer, at: now)
            guard end == .central, isExchangingMTU else { return nil }
            isExchangingMTU = false
            return .ready
        case .frameTaken(let end, let bearer, let isLast):
            receiveFrame(at: end, on: bearer, isLast: isLast, now)
        case .creditsArrived(let end, let bearer, let count):
            addCredits(count, to: end, on: bearer, at: now)
        }
        return nil
    }

    private mutating func exchangeMTU(at now: Instant) {
        isExchangingMTU = true
        request(.mtuRequest, from: .central, at: now)
    }

    // MARK: - Values that wait for an application

    private mutating func queue(
        _ token: Token,
        _ operation: Operation,
        at end: End,
        bearer: Int,
        _ now: Instant
    ) {
        guard let queue = settings.receiveQueue else { return }
        while let first = takenAt.first, first <= now { _ = takenAt.removeFirst() }
        guard operation == .request || takenAt.count < queue.valueCountMax else {
            droppedValueCount += 1
            return
        }
        let moment = max(now, applicationIsFreeAt)
        applicationIsFreeAt = moment + queue.timePerValue
        takenAt.append(moment)
        events.put(.value(token, end), at: moment)
        guard operation == .request else { return }
        events.put(.answer(.writeResponse, end, bearer: bearer), at: moment)
    }
}
