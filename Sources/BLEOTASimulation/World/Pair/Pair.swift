import BLEOTACore
import BLEOTAHost

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

    /// What a radio carries.
    struct Carried {
        let datagram: [UInt8]
        let chunk: SenderTransmission.Chunk?
        let channel: Channel
    }

    enum Event {
        case arrival(Channel, [UInt8], SenderTransmission.Chunk?, link: Int)
        case storeStepDone(number: Int)
        case synced(ObjectID, StorageTicket, device: Int)
        case interruption(Scenario.Interruption)
        case linkUp
        case reconnect
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

    /// A step of the store.
    struct StoreWork {
        /// What it is for, and which device wanted it; `nil` for what the store does by itself.
        let job: ReceiverEnd.Job?
        let device: Int
        /// When the present step began.
        var beganAt: Instant
    }

    static let eventCountMax = 3_000_000
    /// More than a sender may have in flight.
    static let burstMax = 20_000

    let scenario: Scenario
    let transfer: InMemoryTransfer
    let store: any DeviceStore
    var now = Instant(microseconds: 0)
    var trace: FrameTrace
    var traffic = Traffic()
    /// The first thing that was wrong; a run ends with it.
    var failure: String?
    /// How the last sender ended that ended.
    var outcome: SenderOutcome?
    var verifiedAt: Instant?
    /// When the sender first was allowed to send chunks of the image, and when all of them were
    /// acknowledged.
    var imageBeganAt: Instant?
    var imageAcknowledgedAt: Instant?
    /// When the store had all of the image, and began to verify it.
    var imageStoredAt: Instant?
    var senderEndings: [SenderOutcome] = []
    var receiverEndings: [Reason] = []
    var phasesSeen: Set<SenderPhase> = []
    var interruptedSenders: [SenderEnd] = []
    var interruptionsWithoutSender = 0
    var smallestChunkSize: ChunkSize?
    var frameCount = 0
    var acknowledgementCount = 0
    /// What happened to the image; `nil` where nobody asks.
    var timeline: [TimelinePoint]?

    var random: SimulationRandom
    var queue = EventQueue<Event>()
    var channels: [Channel: ModelChannel]
    var radio: RadioLink<Carried>?
    var sender: SenderEnd?
    var receiver: ReceiverEnd?
    var isLinkUp = true
    /// The ends that have lost the present radio link.
    var lostEnds: Set<RadioLink<Carried>.End> = []
    /// How often a radio link was lost.
    var linkLossCount = 0
    var earlierQueueByteCountMax = 0
    var linkNumber = 0
    var deviceNumber = 0
    /// What the store works at, if at anything.
    var storeWork: StoreWork?
    var storeStepNumber = 0
    /// How many operations of the flash were begun.
    var flashOperationCount = 0
    /// The image that is current, as it was seen last.
    var current: [UInt8]?
    var lastSession: SessionNumber
    var senderWaiting: [Instant] = []
    var isDriverWaiting = false
    var eventCount = 0
    var timeoutsWithoutTime = 0
    var isHealed: Bool
    var requestsAgainAt: Instant?

    init(_ scenario: Scenario, onTrace: ((SimulatedTraceEntry) -> Void)? = nil) {
        self.scenario = scenario
        random = SimulationRandom(seed: scenario.seed ^ 0x5EED)
        transfer = InMemoryTransfer(
            image: random.bytes(scenario.imageByteCount),
            blockByteCount: scenario.blockByteCount
        )
        store = scenario.store.make(for: transfer, seed: random.next())
        store.preload(transfer)
        current = store.current
        trace = FrameTrace(report: onTrace)
        channels = [
            .senderControl: ModelChannel(scenario.senderControl),
            .senderData: ModelChannel(scenario.senderData),
            .receiverControl: ModelChannel(scenario.receiverControl),
        ]
        radio = scenario.radio.map { RadioLink($0) }
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

    /// The most bytes of values that the sender's host had to send at a time; over a radio.
    var hostQueueByteCountMax: Int {
        max(earlierQueueByteCountMax, radio?.queuedByteCountMax(at: .central) ?? 0)
    }

    /// Data frames that came intact to the receiver that is there at the end, and for which it had
    /// no room.
    var framesWithoutRoom: Int { receiver?.framesWithoutRoom ?? 0 }

    // MARK: - Time

    var isOver: Bool {
        if radio?.isCarrying ?? false { return false }
        guard queue.isEmpty || (verifiedAt == nil && outcome != nil && !scenario.isHealing) else {
            return false
        }
        guard sender == nil || sender?.machine.nextDeadline == nil else { return false }
        guard receiver == nil || receiver?.nextDeadline == nil else { return false }
        return verifiedAt != nil || (outcome != nil && !scenario.isHealing)
    }

    func step() {
        eventCount += 1
        if eventCount > Self.eventCountMax { return fail("no end after \(eventCount) events") }
        if eventCount % 64 == 0 { checkMemory() }
        let senderWake = sender?.machine.nextDeadline.map { $0 + scenario.lateness }
        let driverWake = isDriverWaiting && !isDriverBlocked ? driverOpensAt ?? now : nil
        let receiverWake = receiver?.nextDeadline.map { $0 + scenario.lateness }
        let moments = [
            queue.nextMoment, senderWake, receiverWake, driverWake, radio?.nextMoment,
        ]
        guard let next = moments.compactMap({ $0 }).min() else {
            return fail("nobody waits for anything, and nothing is verified")
        }
        if next > now { timeoutsWithoutTime = 0 }
        now = max(now, next)
        checkLimit()
        if let moment = queue.nextMoment, moment <= now {
            handle(queue.takeFirst())
        } else if let moment = radio?.nextMoment, moment <= now {
            advanceRadio()
        } else if let senderWake, senderWake <= now {
            senderTimeout()
        } else if let receiverWake, receiverWake <= now {
            receiverTimeout()
        } else {
            drainSender()
        }
    }

    func advanceRadio() {
        switch radio?.advance(to: now, &random) {
        case .value(let carried, at: _):
            deliver(carried.datagram, carried.chunk, on: carried.channel)
        case .ready: handle(.linkUp)
        case .lost(let end): loseLink(at: end)
        case nil: break
        }
        if isDriverWaiting { drainSender() }
    }

    func checkLimit() {
        guard verifiedAt == nil else { return }
        let limit =
            scenario.healsAt.map { $0 + scenario.limitAfterHealing }
            ?? Instant(microseconds: 0) + scenario.limitWithoutHealing
        if now > limit { fail("not verified by \(limit.microseconds / 1_000) ms") }
    }

    func senderTimeout() {
        guard let sender else { return }
        // A late driver may find several deadlines passed; each call settles one.
        sender.machine.handleTimeout(at: now)
        drainSender()
        countTimeout()
    }

    func receiverTimeout() {
        guard let receiver else { return }
        receiver.handleTimeout(at: now)
        drainReceiver()
        countTimeout()
    }

    func countTimeout() {
        timeoutsWithoutTime += 1
        if timeoutsWithoutTime > 8 { fail("a deadline has passed and stays") }
    }

    // MARK: - Checks

    func checkMemory() {
        if let sender, !sender.isIntact { fail("the sender wrote outside its memory") }
        if let receiver, !receiver.isIntact { fail("the receiver wrote outside its memory") }
        if !store.areMapsIntact { fail("the receiver wrote outside the map of blocks") }
    }

    func fail(_ text: String) {
        guard failure == nil else { return }
        trace.note("=== FAILURE: \(text)", at: now)
        failure = "\(text), at \(now.microseconds / 1_000) ms"
    }
}
