import BLEOTACore
import BLEOTAHost
import Testing

@testable import BLEOTASimulation

/// Senders that speak for ever and send nothing that is missing.
@Suite struct EndlessSenderTests {
    enum Kind: String, CaseIterable, Sendable {
        case polls
        /// Opens one session after the other.
        case opens
        /// The same with another transfer each time.
        case opensOthers
        /// Sends its first chunk again and again.
        case repeatsChunk
        /// Sends a chunk of one session after the other.
        case repeatsChunkInSessions
    }

    /// A sender that opened a session and only polled once held a receiver's store for ever.
    //= TIME-5
    @Test(
        "A receiver that serves several ends the session as stalled, within its limits",
        arguments: Kind.allCases,
        [250, 20_000]
    )
    func receiverEnds(kind: Kind, pauseMilliseconds: Int) {
        var peer = EndlessSender(kind)
        let pause = Microseconds.milliseconds(pauseMilliseconds)
        while peer.ending == nil, peer.now < Instant(microseconds: 1_500_000_000) {
            peer.speak()
            peer.pass(pause)
        }
        #expect(peer.ending == .stalled)
        // What it sent first was news, and it may say the last just before the end.
        let isLong = kind == .opens || kind == .opensOthers || kind == .repeatsChunkInSessions
        let limit: Microseconds = isLong ? .seconds(600) : .seconds(60)
        #expect(peer.now <= Instant(microseconds: 0) + limit + pause * 3)
        #expect(peer.hasReleased)
    }

    //= TIME-5
    @Test("An honest sender with long pauses, and a store that takes its time, are not stalled")
    func honestSender() {
        var scenario = Scenario(seed: 3)
        scenario.imageByteCount = 200_000
        scenario.limitsProgress = true
        scenario.store.lookUp = .seconds(50)
        scenario.store.judge = .seconds(90)
        scenario.store.publish = .seconds(200)
        scenario.senderData.pace = LinkModel.Pace(
            interval: .milliseconds(400),
            datagramCount: 1,
            queueMax: 10_000
        )
        let pair = SimulationRun.run(scenario)
        #expect(pair.senderEndings == [.verified])
        #expect(pair.receiverEndings == [.verified])
    }
}

/// One of them, and the receiver that it speaks to.
private struct EndlessSender {
    let kind: EndlessSenderTests.Kind
    private let transfer: InMemoryTransfer
    private let receiver: ReceiverEnd
    private let store: InMemoryStore
    private(set) var now = Instant(microseconds: 0)
    private var session = SessionNumber(100)
    private var header: PseudoHeader?
    private var spoken = 0
    private(set) var ending: Reason?
    private(set) var hasReleased = false

    init(_ kind: EndlessSenderTests.Kind) {
        self.kind = kind
        var random = SimulationRandom(seed: 1)
        transfer = InMemoryTransfer(image: random.bytes(100_000), blockByteCount: 1_024)
        var scenario = Scenario(seed: 1)
        scenario.limitsProgress = true
        store = InMemoryStore(scenario.store, seed: 1)
        receiver = ReceiverEnd(
            scenario,
            manifestByteCount: transfer.manifest.count,
            firstEpoch: Epoch(0)
        )
    }

    mutating func speak() {
        spoken += 1
        if spoken == 1 { return open() }
        switch kind {
        case .polls: poll()
        case .opens, .opensOthers:
            session = session.next
            open()
        case .repeatsChunk: sendFirstChunk()
        case .repeatsChunkInSessions:
            if spoken % 2 == 0 { return sendFirstChunk() }
            session = session.next
            open()
        }
    }

    mutating func pass(_ span: Microseconds) {
        now = now + span
        receiver.handleTimeout(at: now)
        drain()
    }

    private mutating func open() {
        let tag =
            kind == .opensOthers ? TransferTag(rawValue: UInt64(spoken)) : transfer.description.tag
        let open = SenderControl.Open(
            session: session,
            chunkSize: ChunkSize(wordCount: 60)!,
            manifestByteCount: transfer.description.manifestByteCount,
            tag: tag
        )
        say(.open(open))
    }

    private mutating func poll() {
        say(.poll(.init(session: session, object: .manifest, epoch: Epoch(0))))
    }

    private mutating func sendFirstChunk() {
        guard let header else { return poll() }
        _ = receiver.receive(
            data: FrameBytes.of(
                Array(transfer.manifest[..<240]),
                0,
                isPoll: true,
                header: header
            ),
            sentAs: nil,
            store: store,
            at: now
        )
        drain()
    }

    private mutating func say(_ frame: SenderControl) {
        receiver.receive(control: FrameBytes.of(frame), at: now)
        drain()
    }

    /// Lets the store do at once what it is asked for, and learns what the receiver says.
    private mutating func drain() {
        while true {
            receiver.startTasks()
            if let (_, transmission, _) = receiver.next(at: now) {
                guard case .acknowledgement(let acknowledgement) = transmission.frame else {
                    continue
                }
                header = PseudoHeader(
                    session: transmission.session,
                    object: acknowledgement.object,
                    epoch: acknowledgement.epoch
                )
            } else if !receiver.jobs.isEmpty {
                work(receiver.jobs.removeFirst())
            } else {
                break
            }
        }
        ending = ending ?? receiver.machine.takeEnding()
    }

    private mutating func work(_ job: ReceiverEnd.Job) {
        let isOld = job.ticket != receiver.machine.ticket
        if case .release = job.task { hasReleased = true }
        guard let answer = store.perform(job.task, bytes: job.bytes, isHealed: true), !isOld
        else { return }
        receiver.machine.handle(answer, for: job.ticket, at: now)
    }
}
