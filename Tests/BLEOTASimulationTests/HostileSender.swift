import BLEOTACore
import BLEOTAHost
import Testing

@testable import BLEOTASimulation

/// A sender that says what it likes to a receiver, whose store believes nothing.
struct HostileSender {
    private let seed: UInt64
    private var random: SimulationRandom
    private let receiver: ReceiverEnd
    private let store: InMemoryStore
    private let transfer: InMemoryTransfer
    private var now = Instant(microseconds: 0)
    private var session = SessionNumber(1)
    private var header = PseudoHeader(session: SessionNumber(1), object: .manifest, epoch: Epoch(0))
    private var object = ObjectID.manifest
    private var chunkSize = ChunkSize.smallest
    private var cumulative: UInt32 = 0
    private var edge: UInt32 = 0

    init(seed: UInt64) {
        self.seed = seed
        random = SimulationRandom(seed: seed)
        var scenario = Scenario(seed: seed)
        scenario.slotCount = random.int(2...16)
        scenario.blockByteCount = random.element([256, 1_024, 4_096])
        scenario.controlByteCountMax = random.int(18...79)
        scenario.leavesPaceToSender = random.chance(0.2)
        scenario.store.blocksPerSync = random.int(1...4)
        transfer = InMemoryTransfer(
            image: random.bytes(random.logarithmic(1...40_000)),
            blockByteCount: scenario.blockByteCount
        )
        store = InMemoryStore(scenario.store, seed: seed)
        receiver = ReceiverEnd(
            scenario,
            manifestByteCount: 100_000,
            firstEpoch: Epoch(UInt8(truncatingIfNeeded: seed))
        )
    }

    func run() {
        var hostile = self
        hostile.attack()
    }

    private mutating func attack() {
        for _ in 0..<random.int(1...600) {
            now = now + Microseconds(Int64(random.logarithmic(1...200_000)))
            step()
            drain()
            #expect(receiver.isIntact && store.areMapsIntact, "seed \(seed)")
            if let current = store.current {
                #expect(current == transfer.image, "seed \(seed)")
            }
        }
        var timeoutCount = 0
        while let deadline = receiver.machine.nextDeadline, timeoutCount < 5_000 {
            now = max(now, deadline)
            receiver.machine.handleTimeout(at: now)
            drain()
            timeoutCount += 1
        }
        #expect(receiver.machine.phase == .idle, "seed \(seed)")
    }

    private mutating func step() {
        switch random.int(0...29) {
        case 0: open()
        case 1:
            receiver.receive(
                control: FrameBytes.of(
                    .poll(.init(session: anySession(), object: .image, epoch: Epoch(3)))
                ),
                at: now
            )
        case 2:
            if random.chance(0.1) {
                receiver.receive(
                    control: FrameBytes.of(
                        .close(.init(session: anySession(), reason: .cancelled))
                    ),
                    at: now
                )
            }
        case 3: receiver.receive(control: random.bytes(random.int(0...40)), at: now)
        case 4: deliver(random.bytes(random.int(0...600)))
        case 5:
            deliver(
                FrameBytes.of(
                    random.bytes(random.int(1...508)),
                    UInt32(random.int(0...32_767)),
                    isPoll: random.chance(0.5),
                    header: .echo
                )
            )
        case 6..<12: deliver(lie())
        default: deliver(truth())
        }
    }

    private mutating func open() {
        if random.chance(0.7) { session = SessionNumber(UInt16(random.int(1...6))) }
        let isHonest = random.chance(0.7)
        chunkSize = ChunkSize(wordCount: UInt8(random.int(3...127)))!
        let open = SenderControl.Open(
            session: session,
            chunkSize: chunkSize,
            manifestByteCount: isHonest
                ? transfer.description.manifestByteCount : UInt32(random.logarithmic(66...100_000)),
            tag: isHonest ? transfer.description.tag : TransferTag(rawValue: random.next())
        )
        receiver.receive(control: FrameBytes.of(.open(open)), at: now)
    }

    private mutating func anySession() -> SessionNumber {
        random.chance(0.7) ? session : SessionNumber(UInt16(truncatingIfNeeded: random.next()))
    }

    /// A frame with the right checksum and something wrong.
    private mutating func lie() -> [UInt8] {
        let index: UInt32 =
            switch random.int(0...4) {
            case 0: UInt32(truncatingIfNeeded: random.next())
            case 1: edge &+ UInt32(random.int(0...3)) &- 1
            case 2: cumulative &+ UInt32(random.int(16_380...16_390))
            case 3: cumulative &- UInt32(random.int(1...20_000))
            default: cumulative &+ UInt32(random.int(0...40))
            }
        let byteCount = random.chance(0.5) ? chunkSize.byteCount : random.int(1...508)
        return FrameBytes.of(
            random.bytes(byteCount),
            index,
            isPoll: random.chance(0.3),
            header: header
        )
    }

    /// A frame as an honest sender would send it, or one with another byte in it.
    private mutating func truth() -> [UInt8] {
        let bytes = transfer.bytes(of: object)
        let packetizer = Packetizer(objectByteCount: UInt32(bytes.count), chunkSize: chunkSize)
        let index = min(
            cumulative &+ UInt32(random.int(0...4)),
            packetizer.chunkCount - 1
        )
        var payload = Array(bytes[packetizer.byteRange(ofChunk: index)])
        if random.chance(0.02) { payload[0] ^= 1 }
        return FrameBytes.of(payload, index, isPoll: random.chance(0.3), header: header)
    }

    private mutating func deliver(_ datagram: [UInt8]) {
        _ = receiver.receive(data: datagram, sentAs: nil, store: store, at: now)
    }

    private mutating func drain() {
        var count = 0
        while count < 1_000 {
            count += 1
            receiver.startTasks()
            if let (_, transmission, _) = receiver.next(at: now) {
                learn(transmission)
            } else if !receiver.jobs.isEmpty {
                work(receiver.jobs.removeFirst())
            } else {
                return
            }
        }
        Issue.record("a receiver that speaks without end, seed \(seed)")
    }

    private func work(_ job: ReceiverEnd.Job) {
        let isOld = job.ticket != receiver.machine.ticket
        if case .release = job.task { _ = store.perform(job.task, bytes: [], isHealed: true) }
        guard !isOld, let answer = store.perform(job.task, bytes: job.bytes, isHealed: true)
        else { return }
        receiver.machine.handle(answer, for: job.ticket, at: now)
        if case .write(let object, _) = job.task, store.takeSyncWanted() != nil {
            receiver.machine.handle(store.sync(object), for: job.ticket, at: now)
        }
    }

    private mutating func learn(_ transmission: ReceiverTransmission) {
        guard case .acknowledgement(let acknowledgement) = transmission.frame else { return }
        object = acknowledgement.object
        header = PseudoHeader(
            session: transmission.session,
            object: acknowledgement.object,
            epoch: acknowledgement.epoch
        )
        cumulative = acknowledgement.cumulative(chunkSize: chunkSize)
        if case .chunks(let count) = acknowledgement.credit { edge = cumulative &+ UInt32(count) }
    }
}
