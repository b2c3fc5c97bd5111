import BLEOTACore
import BLEOTAHost

/// A receiver with its memory and its watch: the receiving end except for the store.
final class ReceiverEnd {
    /// A task for the store, with the bytes to write.
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
    /// The progress check of a receiver that serves several peers; otherwise `nil`.
    private var progress: ReceiverProgress?
    /// The chunks of the current epoch that have arrived intact at least once.
    private var seen: Set<UInt32> = []
    private var seenHeader: PseudoHeader?
    private var chunkSizes: [SessionNumber: ChunkSize] = [:]
    /// The number of intact frames of the current epoch for which the receiver had no room.
    private(set) var framesWithoutRoom = 0
    /// The jobs for the store, oldest first.
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

    /// The latest time at which ``handleTimeout(at:)`` must be called.
    var nextDeadline: Instant? {
        let deadlines = [machine.nextDeadline, progress?.deadline]
        return deadlines.compactMap { $0 }.min()
    }

    /// Handles expired deadlines, and checks the progress.
    func handleTimeout(at now: Instant) {
        machine.handleTimeout(at: now)
        observe(at: now)
    }

    /// Ends a session that makes no progress. Must be called after each input.
    func observe(at now: Instant) {
        progress?.observe(machine, at: now)
        guard progress?.isStalled == true else { return }
        machine.abort(.stalled, at: now)
        // A real device would also close the link; here, the next session starts afresh.
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

    /// Delivers a data datagram; returns a description of an error in its handling, or `nil`.
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
            return "chunk \(chunk.index) had credit, but was dropped"
        }
        return nil
    }

    /// Appends the receiver's tasks to the store's list of jobs.
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

    /// Drops the pending writes of a session after one of its blocks was rejected.
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
