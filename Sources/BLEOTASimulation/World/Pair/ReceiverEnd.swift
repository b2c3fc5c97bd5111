import BLEOTACore
import BLEOTAHost

/// A receiver with its memory and its watch: what a device has on that side besides its store.
final class ReceiverEnd {
    /// A task that the store works at, with the bytes it is to write.
    struct Job {
        let task: StorageTask
        let ticket: StorageTicket
        let bytes: [UInt8]
    }

    var machine: Receiver
    private let blocks: GuardedMemory<UInt8>
    private let receivedBits: GuardedMemory<UInt>
    private let controlByteCountMax: Int
    private var watch = ReceiverWatch()
    /// Of one that serves others, too.
    private var progress: ReceiverProgress?
    /// The chunks of the present epoch that came intact at least once.
    private var seen: Set<UInt32> = []
    private var seenHeader: PseudoHeader?
    private var chunkSizes: [SessionNumber: ChunkSize] = [:]
    /// Frames of the present epoch that came intact, and for which the receiver had no room.
    private(set) var framesWithoutRoom = 0
    /// What the store has still to do, oldest first.
    var jobs: [Job] = []

    init(_ scenario: Scenario, manifestByteCount: Int, firstEpoch: Epoch) {
        let manifestBlockByteCount = scenario.store.manifestBlockByteCount
        let manifestBlockCount = min(
            2,
            ObjectPlan.blockCount(UInt32(manifestByteCount), manifestBlockByteCount)
        )
        blocks = GuardedMemory(
            count: max(
                scenario.slotCount * scenario.blockByteCount,
                manifestBlockByteCount * manifestBlockCount
            ),
            filledWith: 0xDB
        )
        receivedBits = GuardedMemory(
            count: ReceiverMemory.receivedWordCount(
                slotCount: 1,
                blockByteCount: blocks.elements.count
            ),
            filledWith: .max
        )
        controlByteCountMax = scenario.controlByteCountMax
        var options = ReceiverOptions()
        options.controlByteCountMax = scenario.controlByteCountMax
        options.leavesPaceToSender = scenario.leavesPaceToSender
        options.firstEpoch = firstEpoch
        machine = Receiver(
            options: options,
            memory: ReceiverMemory(
                blocks: UnsafeMutableRawBufferPointer(blocks.elements),
                receivedBits: receivedBits.elements
            )
        )
        if scenario.limitsProgress { progress = ReceiverProgress(at: Instant(microseconds: 0)) }
    }

    /// When ``handleTimeout(at:)`` has to be called at the latest.
    var nextDeadline: Instant? {
        let deadlines = [machine.nextDeadline, progress?.deadline]
        return deadlines.compactMap { $0 }.min()
    }

    /// Does what is due by the clock, and looks at what was done since.
    func handleTimeout(at now: Instant) {
        machine.handleTimeout(at: now)
        observe(at: now)
    }

    /// Ends a session that gets no further. Has to be called after each input.
    func observe(at now: Instant) {
        progress?.observe(machine, at: now)
        guard progress?.isStalled == true else { return }
        machine.abort(.stalled, at: now)
        // It would end the link as well; the next one begins without a past.
        progress = ReceiverProgress(at: now)
    }

    var isIntact: Bool { blocks.isIntact && receivedBits.isIntact }

    func receive(control datagram: [UInt8], at now: Instant) {
        let bytes = datagram.span.bytes
        if case .open(let open)? = try? SenderControl(decoding: bytes) {
            chunkSizes[open.session] = open.chunkSize
        }
        machine.receive(control: bytes, at: now)
    }

    /// Delivers a data datagram; says what is wrong with its treatment, if anything.
    func receive(
        data datagram: [UInt8],
        sentAs chunk: SenderTransmission.Chunk?,
        store: any DeviceStore,
        at now: Instant
    ) -> String? {
        let droppedBefore = machine.statistics.dataFramesDropped
        let isReceiving = if case .receiving = machine.phase { true } else { false }
        machine.receive(data: datagram.span.bytes, at: now)
        guard let chunk, isReceiving, chunk.header == watch.header else { return nil }
        if seenHeader != chunk.header { seen = [] }
        seenHeader = chunk.header
        let isFirst = seen.insert(chunk.index).inserted
        guard machine.statistics.dataFramesDropped != droppedBefore else { return nil }
        framesWithoutRoom += 1
        if isFirst, UInt64(chunk.index) < watch.edge, watch.edge != .max,
            !store.holds(chunk.byteRange, of: chunk.object)
        {
            return "chunk \(chunk.index) had credit and was dropped"
        }
        return nil
    }

    /// Moves the tasks that the receiver has to the end of the store's list.
    func startTasks() {
        while let task = machine.nextTask() {
            var bytes: [UInt8] = []
            if case .write(_, let block) = task {
                bytes = machine.withBytes(ofBlock: block) { span in
                    span.withUnsafeBytes { Array($0) }
                }
            }
            jobs.append(Job(task: task, ticket: machine.ticket, bytes: bytes))
        }
    }

    /// A block was wrong: those after it, which the store has not come to yet, are taken back.
    func dropWrites(for ticket: StorageTicket) {
        jobs.removeAll { job in
            if case .write = job.task { job.ticket == ticket } else { false }
        }
    }

    func next(at now: Instant) -> (
        datagram: [UInt8], transmission: ReceiverTransmission, objection: String?
    )? {
        guard let transmission = machine.nextTransmission(at: now) else { return nil }
        let objection = watch.objection(
            to: transmission,
            chunkSize: chunkSizes[transmission.session],
            controlByteCountMax: controlByteCountMax
        )
        let datagram = FrameBytes.of(transmission.frame, session: transmission.session)
        return (datagram, transmission, objection)
    }
}
