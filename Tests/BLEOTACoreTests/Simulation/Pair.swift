import BLEOTACore

/// A sender and a receiver at both ends of a modelled link, in virtual time.
///
/// Everything that happens is an event with a moment; nothing waits for a real clock, so a run of
/// an hour takes milliseconds, and the same scenario gives the same run to the last bit.
final class Pair {
    enum Channel: Hashable {
        case senderControl
        case senderData
        case receiverControl
    }

    enum Event {
        case arrival(Channel, [UInt8], SenderTransmission.Chunk?, link: Int)
        case storeDone(device: Int)
        case synced(ObjectID, StorageTicket, device: Int)
        case interruption(Scenario.Interruption)
        case linkUp
        case startSender
        case startReceiver
        case request
        case healed
    }

    /// What was put on the link.
    struct Traffic {
        var datagramCount = 0
        var byteCount = 0
        var dataFrameCount = 0
        var imageFrameCount = 0
    }

    static let eventCountMax = 3_000_000
    /// More than a sender may have in flight.
    static let burstMax = 20_000

    let scenario: Scenario
    let transfer: ModelTransfer
    let store: ModelStore
    private(set) var now = Instant(microseconds: 0)
    private(set) var trace: FrameTrace
    private(set) var traffic = Traffic()
    /// The first thing that was wrong; a run ends with it.
    private(set) var failure: String?
    /// How the last sender ended that ended.
    private(set) var outcome: SenderOutcome?
    private(set) var verifiedAt: Instant?
    private(set) var senderEndings: [SenderOutcome] = []
    private(set) var receiverEndings: [Reason] = []
    private(set) var phasesSeen: Set<SenderPhase> = []
    private var interruptedSenders: [SenderEnd] = []
    private var interruptionsWithoutSender = 0
    private(set) var smallestChunkSize: ChunkSize?
    private(set) var frameCount = 0
    private(set) var acknowledgementCount = 0

    private var random: SimulationRandom
    private var queue = EventQueue<Event>()
    private var channels: [Channel: ModelChannel]
    private var sender: SenderEnd?
    private var receiver: ReceiverEnd?
    private var isLinkUp = true
    private var linkNumber = 0
    private var deviceNumber = 0
    private var isStoreBusy = false
    private var lastSession: SessionNumber
    private var senderWaiting: [Instant] = []
    private var isDriverWaiting = false
    private var eventCount = 0
    private var timeoutsWithoutTime = 0
    private var isHealed: Bool
    private var requestsAgainAt: Instant?

    init(_ scenario: Scenario, isTraced: Bool = false) {
        self.scenario = scenario
        random = SimulationRandom(seed: scenario.seed ^ 0x5EED)
        transfer = ModelTransfer(
            image: random.bytes(scenario.imageByteCount),
            blockByteCount: scenario.blockByteCount
        )
        store = ModelStore(scenario.store, seed: random.next())
        store.preload(transfer)
        trace = FrameTrace(isKept: isTraced)
        channels = [
            .senderControl: ModelChannel(scenario.senderControl),
            .senderData: ModelChannel(scenario.senderData),
            .receiverControl: ModelChannel(scenario.receiverControl),
        ]
        lastSession = SessionNumber(UInt16(truncatingIfNeeded: random.next()))
        isHealed = scenario.healsAt == Instant(microseconds: 0)
        startReceiver()
        queue.put(scenario.isRequestedByReceiver ? .request : .startSender, at: now)
        for interruption in scenario.interruptions {
            queue.put(.interruption(interruption.kind), at: interruption.moment)
        }
        if let healsAt = scenario.healsAt { queue.put(.healed, at: healsAt) }
    }

    /// Runs to the end: a verified image and both machines at rest, or a failure.
    func run() {
        while failure == nil, !isOver { step() }
        checkMemory()
        if failure == nil, scenario.isHealing, store.current != transfer.image {
            fail("the image is verified, and another one is current")
        }
    }

    /// How many image chunks were on the way at each interruption.
    var interruptionCosts: [Int] {
        interruptedSenders.flatMap(\.interruptionCosts)
            + [Int](repeating: 0, count: interruptionsWithoutSender)
    }

    // MARK: - Time

    private var isOver: Bool {
        guard queue.isEmpty || (verifiedAt == nil && outcome != nil && !scenario.isHealing) else {
            return false
        }
        guard sender == nil || sender?.machine.nextDeadline == nil else { return false }
        guard receiver == nil || receiver?.machine.nextDeadline == nil else { return false }
        return verifiedAt != nil || (outcome != nil && !scenario.isHealing)
    }

    private func step() {
        eventCount += 1
        if eventCount > Self.eventCountMax { return fail("no end after \(eventCount) events") }
        if eventCount % 64 == 0 { checkMemory() }
        let senderWake = sender?.machine.nextDeadline.map { $0 + scenario.lateness }
        let driverWake = isDriverWaiting ? driverOpensAt ?? now : nil
        let receiverWake = receiver?.machine.nextDeadline.map { $0 + scenario.lateness }
        let moments = [queue.nextMoment, senderWake, receiverWake, driverWake].compactMap { $0 }
        //= TIME-4
        guard let next = moments.min() else {
            return fail("nobody waits for anything, and nothing is verified")
        }
        if next > now { timeoutsWithoutTime = 0 }
        now = max(now, next)
        checkLimit()
        if let moment = queue.nextMoment, moment <= now {
            handle(queue.takeFirst())
        } else if let senderWake, senderWake <= now {
            senderTimeout()
        } else if let receiverWake, receiverWake <= now {
            receiverTimeout()
        } else {
            drainSender()
        }
    }

    private func checkLimit() {
        guard verifiedAt == nil else { return }
        let limit =
            scenario.healsAt.map { $0 + scenario.limitAfterHealing }
            ?? Instant(microseconds: 0) + scenario.limitWithoutHealing
        if now > limit { fail("not verified by \(limit.microseconds / 1_000) ms") }
    }

    private func senderTimeout() {
        guard let sender else { return }
        // A late driver may find several deadlines passed; each call settles one.
        sender.machine.handleTimeout(at: now)
        drainSender()
        countTimeout()
    }

    private func receiverTimeout() {
        guard let receiver else { return }
        receiver.machine.handleTimeout(at: now)
        drainReceiver()
        countTimeout()
    }

    private func countTimeout() {
        timeoutsWithoutTime += 1
        //= TIME-4
        if timeoutsWithoutTime > 8 { fail("a deadline has passed and stays") }
    }

    // MARK: - Events

    private func handle(_ event: Event) {
        switch event {
        case .arrival(let channel, let datagram, let chunk, let link):
            guard link == linkNumber else { return }
            deliver(datagram, chunk, on: channel)
        case .storeDone(let device):
            if device == deviceNumber { storeDone() }
        case .synced(let object, let ticket, let device):
            guard device == deviceNumber, let receiver else { return }
            receiver.machine.handle(store.sync(object), for: ticket, at: now)
            drainReceiver()
        case .interruption(let kind): interrupt(kind)
        case .linkUp:
            isLinkUp = true
            if receiver == nil { startReceiver() }
            queue.put(scenario.isRequestedByReceiver ? .request : .startSender, at: now)
        case .startSender: startSender()
        case .startReceiver:
            guard receiver == nil, isLinkUp else { return }
            startReceiver()
            if scenario.isRequestedByReceiver { queue.put(.request, at: now) }
        case .request: request()
        case .healed: isHealed = true
        }
    }

    private func deliver(
        _ datagram: [UInt8],
        _ chunk: SenderTransmission.Chunk?,
        on channel: Channel
    ) {
        trace.take(datagram, "arrival", at: now)
        switch channel {
        case .senderControl:
            trace.note("  R gets \(FrameDescription.ofSender(datagram))", at: now)
            receiver?.receive(control: datagram, at: now)
            drainReceiver()
        case .senderData:
            trace.note(
                "  R gets data \(datagram.count) \(chunk.map { "\($0.index)" } ?? "")",
                at: now
            )
            if let objection = receiver?.receive(
                data: datagram,
                sentAs: chunk,
                store: store,
                at: now
            ) {
                fail(objection)
            }
            drainReceiver()
        case .receiverControl:
            let session = sender?.machine.session ?? lastSession
            trace.note(
                "S gets \(FrameDescription.ofReceiver(datagram, session: session))",
                at: now
            )
            if scenario.isRequestedByReceiver { answerRequest(datagram) }
            sender?.receive(datagram, at: now)
            drainSender()
        }
    }

    /// What an application does with a REQUEST: it offers the object in that session.
    private func answerRequest(_ datagram: [UInt8]) {
        guard
            case .request(let request)? = try? ReceiverControl(
                decoding: datagram.span.bytes,
                session: .none
            ),
            request.session != lastSession
        else { return }
        start(request.session)
    }

    // MARK: - Interruptions

    private func interrupt(_ kind: Scenario.Interruption) {
        guard isLinkUp, verifiedAt == nil else { return }
        trace.note("=== \(kind)", at: now)
        if let sender {
            sender.isInterrupted()
            if interruptedSenders.last !== sender { interruptedSenders.append(sender) }
        } else {
            interruptionsWithoutSender += 1
        }
        switch kind {
        case .cut:
            isLinkUp = false
            // What waited in its queues is gone with the link.
            channels = channels.mapValues { ModelChannel($0.model) }
            linkNumber += 1
            loseSender()
            loseReceiver()
            queue.put(.linkUp, at: now + scenario.interruptionPause)
        case .restartSender:
            loseSender()
            if !scenario.isRequestedByReceiver {
                queue.put(.startSender, at: now + scenario.interruptionPause)
            }
        case .restartReceiver:
            loseReceiver()
            store.losePower()
            queue.put(.startReceiver, at: now + scenario.interruptionPause)
        }
    }

    private func loseSender() {
        if let sender { note(trafficOf: sender) }
        sender = nil
        senderWaiting = []
        isDriverWaiting = false
    }

    private func note(trafficOf sender: SenderEnd) {
        if !sender.isIntact { fail("the sender wrote outside its memory") }
        lastSession = sender.machine.session
        traffic.imageFrameCount += sender.imageFrameCount
        traffic.dataFrameCount += sender.dataFrameCount
    }

    private func loseReceiver() {
        checkMemory()
        receiver = nil
        deviceNumber += 1
        isStoreBusy = false
    }

    private func startReceiver() {
        receiver = ReceiverEnd(
            scenario,
            manifestByteCount: transfer.manifest.count,
            firstEpoch: Epoch(UInt8(truncatingIfNeeded: random.next())),
            at: now
        )
    }

    private func startSender() {
        // Two restarts in a row leave one sender.
        guard isLinkUp, verifiedAt == nil, sender == nil else { return }
        var session = SessionNumber(UInt16(truncatingIfNeeded: random.next()))
        if session == lastSession { session = session.next }
        start(session)
    }

    private func start(_ session: SessionNumber) {
        guard isLinkUp, verifiedAt == nil else { return }
        loseSender()
        trace.note("=== a sender opens \(session.rawValue)", at: now)
        sender = SenderEnd(scenario, transfer, session: session, at: now)
        lastSession = session
        drainSender()
    }

    private func request() {
        guard isLinkUp, verifiedAt == nil, let receiver else { return }
        if receiver.machine.phase == .idle {
            receiver.machine.request(
                TransferTag(rawValue: 7),
                session: SessionNumber(UInt16(truncatingIfNeeded: random.next())),
                at: now
            )
        }
        drainReceiver()
    }

    // MARK: - Outputs

    private func drainSender() {
        guard let sender else { return }
        var count = 0
        while failure == nil, driverOpensAt == nil,
            let (output, transmission) = sender.next(at: now, isHealed: isHealed, &random)
        {
            if let objection = output.objection { fail(objection) }
            count += 1
            if count > Self.burstMax { fail("the sender sends without end at one moment") }
            trace.note("S sends \(FrameDescription.of(transmission))", at: now)
            let chunk: SenderTransmission.Chunk? =
                if case .data(let chunk) = transmission { chunk } else { nil }
            put(output.datagram, chunk, on: output.isData ? .senderData : .senderControl)
            if self.sender !== sender { return }
        }
        isDriverWaiting = driverOpensAt != nil
        phasesSeen.insert(sender.machine.phase)
        smallestChunkSize = min(
            smallestChunkSize ?? sender.machine.chunkSize,
            sender.machine.chunkSize
        )
        if let outcome = sender.machine.outcome { finish(sender, outcome) }
    }

    private func finish(_ sender: SenderEnd, _ outcome: SenderOutcome) {
        guard verifiedAt == nil else { return }
        trace.note("=== the sender ended: \(outcome)", at: now)
        self.outcome = outcome
        senderEndings.append(outcome)
        // A cut ACK can pass its checksum by chance; nothing else makes an account absurd.
        if outcome == .gaveUp(.malformedAccount), scenario.receiverControl.faults.truncation == 0 {
            fail("an honest receiver sent an account that can't be true")
        }
        // A cut ACK can pass its checksum by chance; nothing else makes an account absurd.
        if outcome == .gaveUp(.malformedAccount),
            scenario.receiverControl.faults.truncation == 0 || isHealed
        {
            fail("an honest receiver sent an account that can't be true")
        }
        if outcome == .verified {
            verifiedAt = now
            note(trafficOf: sender)
            if store.current != transfer.image { fail("verified, and not current") }
        } else {
            loseSender()
            guard scenario.isHealing else { return }
            if scenario.isRequestedByReceiver { return }
            queue.put(.startSender, at: now + .seconds(1))
        }
    }

    private func drainReceiver() {
        guard let receiver else { return }
        var count = 0
        while failure == nil, let (datagram, transmission, objection) = receiver.next(at: now) {
            if let objection { fail(objection) }
            count += 1
            if count > Self.burstMax { fail("the receiver sends without end at one moment") }
            if case .acknowledgement = transmission.frame { acknowledgementCount += 1 }
            trace.note("  R sends \(FrameDescription.of(transmission.frame))", at: now)
            put(datagram, nil, on: .receiverControl)
            if self.receiver !== receiver { return }
        }
        receiver.takeTasks()
        startStore()
        if let reason = receiver.machine.takeEnding() {
            trace.note("=== the receiver ended: \(reason.rawValue)", at: now)
            receiverEndings.append(reason)
        }
        if scenario.isRequestedByReceiver, verifiedAt == nil, receiver.machine.phase == .idle,
            requestsAgainAt.map({ now >= $0 }) ?? true
        {
            requestsAgainAt = now + .seconds(1)
            queue.put(.request, at: now + .seconds(1))
        }
    }

    private func put(_ datagram: [UInt8], _ chunk: SenderTransmission.Chunk?, on channel: Channel) {
        trace.take(datagram, "departure", at: now)
        let frame = frameCount
        frameCount += 1
        traffic.datagramCount += 1
        traffic.byteCount += datagram.count
        guard isLinkUp else { return }
        var arrivals = channels[channel]!.arrivals(
            of: datagram,
            at: now,
            isHealed: isHealed,
            &random
        )
        if channel == .senderData, scenario.driverQueueMax < .max {
            senderWaiting.append(arrivals.first?.moment ?? now)
        }
        if let anomaly = scenario.anomaly, anomaly.frame == frame {
            arrivals = self.arrivals(arrivals, with: anomaly.kind)
        }
        for arrival in arrivals {
            let intact = arrival.datagram == datagram ? chunk : nil
            queue.put(
                .arrival(channel, arrival.datagram, intact, link: linkNumber),
                at: arrival.moment
            )
        }
    }

    private func arrivals(
        _ arrivals: [ModelChannel.Arrival],
        with kind: Scenario.Anomaly.Kind
    ) -> [ModelChannel.Arrival] {
        trace.note("=== anomaly: \(kind)", at: now)
        switch kind {
        case .drop: return []
        case .duplicate: return arrivals + arrivals
        case .truncate:
            return arrivals.map { .init(moment: $0.moment, datagram: $0.datagram.dropLast()) }
        case .delay:
            return arrivals.map {
                .init(moment: $0.moment + .seconds(1), datagram: $0.datagram)
            }
        case .cut: queue.put(.interruption(.cut), at: now)
        case .restartSender: queue.put(.interruption(.restartSender), at: now)
        case .restartReceiver: queue.put(.interruption(.restartReceiver), at: now)
        }
        return arrivals
    }

    /// When a driver that waits for its queue takes the next datagram; `nil` if it does now.
    private var driverOpensAt: Instant? {
        guard scenario.driverQueueMax < .max else { return nil }
        while let first = senderWaiting.first, first <= now { senderWaiting.removeFirst() }
        guard senderWaiting.count >= scenario.driverQueueMax else { return nil }
        return senderWaiting[senderWaiting.count - scenario.driverQueueMax]
    }

    // MARK: - The store

    private func startStore() {
        guard !isStoreBusy, let receiver, let job = receiver.jobs.first else { return }
        isStoreBusy = true
        queue.put(.storeDone(device: deviceNumber), at: now + store.duration(of: job.task))
    }

    private func storeDone() {
        guard let receiver, !receiver.jobs.isEmpty else { return }
        isStoreBusy = false
        let job = receiver.jobs.removeFirst()
        // What an ended session wanted written is of no interest, except that it lets go.
        let isOld = job.ticket != receiver.machine.ticket
        if case .release = job.task {
            _ = store.perform(job.task, bytes: [], isHealed: isHealed)
        } else if !isOld, let answer = store.perform(job.task, bytes: job.bytes, isHealed: isHealed)
        {
            trace.note("  store \(job.task): \(answer)", at: now)
            receiver.machine.handle(answer, for: job.ticket, at: now)
            if case .write(let object, _) = job.task {
                // What is written is synced after so many blocks, or in half a second.
                let span = store.takeSyncWanted() ?? .milliseconds(500)
                queue.put(.synced(object, job.ticket, device: deviceNumber), at: now + span)
            }
        }
        if let current = store.current, current != transfer.image {
            fail("a wrong image was made current")
        }
        startStore()
        drainReceiver()
    }

    // MARK: - Checks

    private func checkMemory() {
        if let sender, !sender.isIntact { fail("the sender wrote outside its memory") }
        if let receiver, !receiver.isIntact { fail("the receiver wrote outside its memory") }
        if !store.areMapsIntact { fail("the receiver wrote outside the map of blocks") }
    }

    private func fail(_ text: String) {
        guard failure == nil else { return }
        trace.note("=== FAILURE: \(text)", at: now)
        failure = "\(text), at \(now.microseconds / 1_000) ms"
    }
}

private func min(_ left: ChunkSize, _ right: ChunkSize) -> ChunkSize {
    left.byteCount <= right.byteCount ? left : right
}
