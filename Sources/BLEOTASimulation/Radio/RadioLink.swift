import BLEOTACore

/// A Bluetooth LE link in virtual time. Attribute values are queued at both ends. Connection events
/// carry the packets of each value to the other end, where the packets become the value again.
///
/// In each event, the central and the peripheral send in turn, and the peripheral only responds.
/// The event ends when neither has more data or its time is over (Bluetooth Core 5.4, volume 6,
/// part B, 4.5.1 and 4.5.6). A damaged packet ends its event, and is retransmitted in the next one.
/// Each bearer carries one request at a time, until its response has arrived (volume 3, part F,
/// 3.3.2); commands and notifications are sent without waiting.
///
/// The model simplifies a real radio. A peripheral's packet that arrives counts as acknowledged
/// immediately, every damaged packet ends its event, and clocks do not drift. While neither end
/// has data to send, only fades damage the empty packets that keep the link alive.
struct RadioLink<Token> {
    /// An end of the link.
    enum End: Int {
        case central
        case peripheral

        var other: End { self == .central ? .peripheral : .central }
    }

    /// The operation that sends a value.
    enum Operation: Hashable {
        case command
        case request
        case notification
    }

    /// An event to report to an end of the link.
    enum Report {
        /// An application receives a value.
        case value(Token, at: End)
        /// The exchange of the ATT_MTU is complete, so values can be sent.
        case ready
        /// An end has received nothing for the supervision timeout. It sends and receives nothing
        /// more.
        case lost(at: End)
    }

    enum Event {
        /// An application receives a value.
        case value(Token, End)
        /// A value arrives at a host whose application may be busy.
        case queued(Token, Operation, End, bearer: Int)
        /// An end's host responds to a request.
        case answer(PDU, End, bearer: Int)
        /// An end receives the response to its request.
        case responseArrived(End, bearer: Int)
        /// An end's host has received a frame on a channel with credits.
        case frameTaken(End, bearer: Int, isLast: Bool)
        /// An end receives credits for more frames.
        case creditsArrived(End, bearer: Int, count: Int)
    }

    enum Step {
        /// No connection event is in progress.
        case none
        case centralSends(at: Instant)
        case peripheralSends(at: Instant, isCentralPacketDamaged: Bool)
    }

    private(set) var settings: RadioSettings
    /// The state of the central and of the peripheral.
    var sides: [Side]
    var events = EventQueue<Event>()
    var step = Step.none
    var eventNumber: Int64 = -1
    /// Whether each end has sent at most one packet in this event.
    var isFirstExchange = true
    var readyAt: Instant?
    /// The time of the first connection event; the others follow at each interval.
    let anchor: Instant
    var fades: [Fade]
    var lostEnds: Set<End> = []
    /// The times at which the peripheral's application takes the queued values, oldest first.
    var takenAt = Fifo<Instant>()
    var applicationIsFreeAt = Instant(microseconds: 0)
    /// The pauses of the two hosts.
    var hostCourses: [HostPauses.Course]
    private(set) var droppedValueCount = 0
    private var isExchangingMTU = false

    /// Creates a link whose first connection event is at the given moment.
    ///
    /// - Parameter exchangesMTU: whether the central first requests the ATT_MTU, as on each new
    ///   connection (Bluetooth Core 5.4, volume 3, part F, 3.4.2); ``Report/ready`` reports the
    ///   end of the exchange. Otherwise, the exchange counts as complete.
    init(
        _ settings: RadioSettings,
        connectedAt moment: Instant = Instant(microseconds: 0),
        exchangesMTU: Bool = false
    ) {
        precondition(
            settings.isPossible,
            "a connection event must hold two of the longest packets, and the supervision timeout "
                + "must exceed two intervals"
        )
        self.settings = settings
        anchor = moment
        fades = Fade.merged(settings.fades)
        sides = [Side(settings, at: moment), Side(settings, at: moment)]
        hostCourses = [HostPauses.Course(), HostPauses.Course()]
        if exchangesMTU { exchangeMTU(at: moment) }
    }

    // MARK: - Interface to the hosts

    /// Queues a value at an end of the link.
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

    /// Whether the central's host accepts another command.
    var hasRoom: Bool {
        sides[End.central.rawValue].queuedValueCount < settings.sendQueueValueCountMax
    }

    /// The highest number of bytes queued at an end and not yet received by its peer.
    func queuedByteCountMax(at end: End) -> Int { sides[end.rawValue].queuedByteCountMax }

    /// Ends all faults.
    mutating func heal() {
        settings = settings.healed
        fades = []
    }

    // MARK: - Time

    /// Whether any data is being transmitted, or processed by a host.
    var isCarrying: Bool {
        if case .none = step { return readyAt != nil || events.nextMoment != nil }
        return true
    }

    /// The time of the next event; `nil` while there is nothing to transmit and no fade ahead
    /// that ends the link.
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

    /// Processes the next event. If the event has something to report to one end of the link,
    /// returns that report. Must be called when ``nextMoment`` is reached, and no later.
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

    // MARK: - Queue of the peripheral's application

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
