import BLEOTACore
import BLEOTAHost

/// A sender and a receiver at the two ends of a simulated link, in virtual time.
///
/// Everything happens as an event at a certain moment. No real clock is involved, so an hour-long
/// run takes milliseconds, and the same scenario always gives exactly the same run.
final class Pair {
    enum Channel: Hashable {
        case senderControl
        case senderData
        case receiverControl
    }

    /// The content of a value on the radio.
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

    /// The numbers of frames and bytes sent on the link.
    struct Traffic {
        var datagramCount = 0
        var byteCount = 0
        var dataFrameCount = 0
        var imageFrameCount = 0
    }

    /// The work in progress in the store.
    struct StoreWork {
        /// The job; `nil` for background work.
        let job: ReceiverEnd.Job?
        /// The number of the device that requested the work.
        let device: Int
        /// The start of the current step.
        var beganAt: Instant
    }

    static let eventCountMax = 3_000_000
    /// The number of frames that an end may send while no time passes. It is larger than the number
    /// of chunks that a sender may have in flight.
    static let burstMax = 20_000

    let scenario: Scenario
    let transfer: InMemoryTransfer
    let store: any DeviceStore
    var now = Instant(microseconds: 0)
    var trace: FrameTrace
    var traffic = Traffic()
    /// The first failure, which ends the run.
    var failure: String?
    /// The outcome of the last sender that ended.
    var outcome: SenderOutcome?
    var verifiedAt: Instant?
    /// The times at which the sender was first allowed to send chunks of the image, and at which
    /// all of them were acknowledged.
    var imageBeganAt: Instant?
    var imageAcknowledgedAt: Instant?
    /// The time at which the store held the whole image and began to verify it.
    var imageStoredAt: Instant?
    var senderEndings: [SenderOutcome] = []
    var receiverEndings: [Reason] = []
    var phasesSeen: Set<SenderPhase> = []
    var interruptedSenders: [SenderEnd] = []
    var interruptionsWithoutSender = 0
    var smallestChunkSize: ChunkSize?
    var frameCount = 0
    var acknowledgementCount = 0
    /// The events that concern the image; `nil` if no timeline is required.
    var timeline: [TimelinePoint]?

    var random: SimulationRandom
    var queue = EventQueue<Event>()
    var channels: [Channel: ModelChannel]
    var radio: RadioLink<Carried>?
    var sender: SenderEnd?
    var receiver: ReceiverEnd?
    var isLinkUp = true
    /// The ends that have lost the current radio link.
    var lostEnds: Set<RadioLink<Carried>.End> = []
    /// The number of lost radio links.
    var linkLossCount = 0
    var earlierQueueByteCountMax = 0
    var linkNumber = 0
    var deviceNumber = 0
    /// The store's work in progress; `nil` if it is idle.
    var storeWork: StoreWork?
    var storeStepNumber = 0
    /// The number of started flash operations.
    var flashOperationCount = 0
    /// The current image at the last check.
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

    /// Runs until the image is verified and both machines are at rest, or until a failure.
    func run() {
        while failure == nil, !isOver { step() }
        checkMemory()
        if failure == nil, scenario.isHealing, store.current != transfer.image {
            fail("the image is verified, but another one is current")
        }
    }

    /// The number of image chunks in flight at each interruption.
    var interruptionCosts: [Int] {
        interruptedSenders.flatMap(\.interruptionCosts)
            + [Int](repeating: 0, count: interruptionsWithoutSender)
    }

    /// The largest number of bytes that the sender's host had queued at any one time; 0 without a
    /// radio.
    var hostQueueByteCountMax: Int {
        max(earlierQueueByteCountMax, radio?.queuedByteCountMax(at: .central) ?? 0)
    }

    /// The number of intact data frames for which the last receiver had no room.
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
        if eventCount > Self.eventCountMax {
            return fail(
                "not finished after \(eventCount) events"
            )
        }
        if eventCount % 64 == 0 { checkMemory() }
        let senderWake = sender?.machine.nextDeadline.map { $0 + scenario.lateness }
        let driverWake = isDriverWaiting && !isDriverBlocked ? driverOpensAt ?? now : nil
        let receiverWake = receiver?.nextDeadline.map { $0 + scenario.lateness }
        let moments = [
            queue.nextMoment, senderWake, receiverWake, driverWake, radio?.nextMoment,
        ]
        guard let next = moments.compactMap({ $0 }).min() else {
            return fail("nothing is pending, but the image is not verified")
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
        if now > limit { fail("not verified within \(limit.microseconds / 1_000) ms") }
    }

    func senderTimeout() {
        guard let sender else { return }
        // A late driver may find several expired deadlines; each call handles one.
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
        if timeoutsWithoutTime > 8 { fail("a deadline has passed, but nothing happened") }
    }

    // MARK: - Checks

    func checkMemory() {
        if let sender, !sender.isIntact { fail("the sender wrote outside its memory") }
        if let receiver, !receiver.isIntact { fail("the receiver wrote outside its memory") }
        if !store.areMapsIntact { fail("the receiver wrote outside the bitmap of blocks") }
    }

    func fail(_ text: String) {
        guard failure == nil else { return }
        trace.note("=== FAILURE: \(text)", at: now)
        failure = "\(text), at \(now.microseconds / 1_000) ms"
    }
}
