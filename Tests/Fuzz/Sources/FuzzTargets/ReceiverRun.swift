import BLEOTACore

/// A list of operations on a receiver with a store and a sender. The first bytes of the input say
/// how it is made; then each operation is a byte and its operands. At the end the sender falls
/// silent, and the receiver has to be idle again by itself.
final class ReceiverRun {
    private static let operationCountMax = 512
    private static let chunkBudget = 1_000
    private static let silentTimeoutCountMax = 1_000

    private let setup: ReceiverSetup
    private var input: FuzzInput
    private var machine: Receiver
    private var ledger = ReceiverLedger()
    private var now = Instant(microseconds: 0)
    private var store = StoreShadow()
    private var session = SessionNumber(0)
    private var previousSession = SessionNumber(0)
    private var chunksLeft = ReceiverRun.chunkBudget
    private var echoesDue = 0

    init(_ bytes: UnsafeRawBufferPointer) {
        var input = FuzzInput(bytes)
        let setup = ReceiverSetup(&input)
        self.setup = setup
        self.input = input
        machine = Receiver(options: setup.options, memory: setup.memory, at: now)
    }

    func play() throws(BrokenProperty) {
        var operationCount = 0
        while !input.isAtEnd, operationCount < Self.operationCountMax {
            try operate()
            operationCount += 1
        }
        try fallSilent()
        try require(
            setup.isMemoryIntact && store.isMemoryIntact,
            "something was written outside"
        )
    }

    private func operate() throws(BrokenProperty) {
        switch input.choice(16) {
        case 0: try passTime(input.magnitude(bitCountMax: 23))
        case 1: try waitForDeadline()
        case 2: try drain()
        case 3: try open()
        case 4: try hear(.poll(poll()))
        case 5: try close()
        case 6: try sendInOrder()
        case 7: try sendSomewhere()
        case 8: try sendLie()
        case 9: try sendEcho()
        case 10: try hearBytes()
        case 11: try answerNext()
        case 12: for _ in 0..<min(store.pending.count, 16) { try answerNext() }
        case 13: try answerUnasked()
        case 14: try command()
        default: try settle()
        }
    }

    /// Gives the machine an input, and checks what holds after every input.
    private func enter(
        _ input: (inout Receiver) -> Void
    ) throws(BrokenProperty) {
        let before = machine.phase
        input(&machine)
        let ending = machine.takeEnding()
        let after = machine.phase
        switch (before, after) {
        case (.finished(let old), .finished(let new)):
            try require(old == new && ending == nil, "\(before) became \(after)")
        case (_, .finished(let reason)):
            try require(ending == reason, "\(after) came with ending \(ending as Any)")
        case (.idle, .idle), (.finished, .idle):
            try require(ending == nil, "an ending of no session")
        case (_, .idle):
            try require(ending != nil, "\(before) became idle without an ending")
        default:
            try require(ending == nil, "an ending in \(after)")
        }
        try require(
            (machine.nextDeadline == nil) == (after == .idle),
            "deadline or none in \(after)"
        )
        try takeTasks()
    }

    private func takeTasks() throws(BrokenProperty) {
        var count = 0
        while let task = machine.nextTask() {
            if case .write(let object, let block) = task {
                try require(machine.phase == .receiving(object), "\(task) in \(machine.phase)")
                let checked = machine.withBytes(ofBlock: block) { bytes in
                    Result { () throws(BrokenProperty) in
                        try store.checkWrite(object, block, bytes)
                    }
                }
                try checked.get()
            }
            try store.take(task, ticket: machine.ticket, in: machine.phase)
            count += 1
            try require(count <= setup.slots.elements.count + 4, "\(count) tasks at once")
        }
        try store.checkAsked(in: machine.phase, ticket: machine.ticket)
    }

    // MARK: - Time and output

    private func passTime(_ microseconds: Int) throws(BrokenProperty) {
        now = now + Microseconds(Int64(microseconds))
        try enter { $0.handleTimeout(at: now) }
    }

    private func waitForDeadline() throws(BrokenProperty) {
        if let deadline = machine.nextDeadline { now = max(now, deadline) }
        try enter { $0.handleTimeout(at: now) }
    }

    private func drain() throws(BrokenProperty) {
        var count = 0
        while let transmission = machine.nextTransmission(at: now) {
            try check(transmission)
            count += 1
            // A stray answer, eight echo replies, BUSY and an account.
            try require(count <= 11, "\(count) frames at once")
        }
        try takeTasks()
    }

    /// Handles timeouts until the next lies in the future: it may not be due for ever.
    private func settle() throws(BrokenProperty) {
        var count = 0
        repeat {
            try enter { $0.handleTimeout(at: now) }
            try drain()
            count += 1
            try require(count <= 4, "a deadline that stays due in \(machine.phase)")
        } while machine.nextDeadline.map { $0 <= now } ?? false
        try checkNotStuck()
    }

    /// A receiver that gave all blocks away and waits for none has to take more.
    private func checkNotStuck() throws(BrokenProperty) {
        guard case .receiving = machine.phase, let shadow = store.shadow, ledger.isCurrent,
            !store.isPending(machine.ticket), ledger.cumulative < shadow.chunkCount
        else { return }
        // [ACK-6] bounds the account by the durable part.
        let durableEnd = store.durableByteCount / shadow.chunkSize.byteCount
        guard Int(ledger.cumulative) < durableEnd + 65_535 else { return }
        try require(
            ledger.edge > UInt64(ledger.cumulative),
            """
            no credit at chunk \(ledger.cumulative) of \(shadow.chunkCount), each of \
            \(shadow.chunkSize.byteCount) bytes, and nothing to wait for
            """
        )
    }

    private func fallSilent() throws(BrokenProperty) {
        var count = 0
        while machine.nextDeadline != nil {
            try waitForDeadline()
            try drain()
            count += 1
            try require(
                count <= Self.silentTimeoutCountMax,
                "a session without end in \(machine.phase)"
            )
        }
        try require(machine.phase == .idle, "without deadline in \(machine.phase)")
    }

    private func check(_ transmission: ReceiverTransmission) throws(BrokenProperty) {
        let datagram = Datagram.bytes(of: transmission.frame, session: transmission.session)
        let read = try FrameRun.readReceiver(datagram, transmission.session)
        try require(read == transmission.frame, "\(transmission) reads as \(read as Any)")
        let isPresent = transmission.session == session
        switch (transmission.frame, machine.phase) {
        case (.acknowledgement(let account), .receiving):
            guard let shadow = store.shadow else {
                throw BrokenProperty(description: "an account of nothing")
            }
            try require(isPresent, "an account for another session")
            try ledger.hears(
                account,
                session: transmission.session,
                of: shadow,
                options: setup.options
            )
        case (.busy(let busy), let phase):
            let expected: BusyPhase? =
                switch phase {
                case .lookingUp: .lookingUp
                case .receiving: .writing
                case .judging: .judging
                case .verifying: .verifying
                case .idle, .requesting, .finished: nil
                }
            try require(isPresent && busy.phase == expected, "\(busy) in \(phase)")
        case (.request, .requesting): break
        case (.result(let result), let phase):
            let isStray = [.noSession, .version].contains(result.reason)
            try require(
                isStray || (isPresent && phase == .finished(result.reason)),
                "\(result) in \(phase)"
            )
        case (.echoReply, _):
            echoesDue -= 1
            try require(echoesDue >= 0, "an echo of nothing")
        default:
            throw BrokenProperty(description: "\(transmission) in \(machine.phase)")
        }
    }

    // MARK: - Control frames of the sender

    private func hear(_ frame: SenderControl) throws(BrokenProperty) {
        let datagram = Datagram.bytes(of: frame)
        try deliver(datagram)
    }

    private func deliver(_ datagram: [UInt8]) throws(BrokenProperty) {
        let frame = try FrameRun.readSender(datagram)
        let (before, ticket) = (machine.phase, machine.ticket)
        var error: FrameDecodingError?
        try enter { error = $0.receive(control: datagram.span.bytes, at: now) }
        try require((error == nil) == (frame != nil), "\(datagram) is taken or dropped")
        let isOpened = machine.ticket != ticket
        switch frame {
        case nil: try require(machine.phase == before, "a dropped frame counts")
        case .open(let open):
            guard isOpened else {
                try require(machine.phase == before, "an OPEN of \(before): \(machine.phase)")
                return
            }
            let isAgain = open.session == session && before != .idle && before != .requesting
            try require(!isAgain, "the present session is opened again")
            try require(machine.phase == .lookingUp, "opened, and in \(machine.phase)")
            try require(machine.chunkSize == open.chunkSize, "another chunk size")
            previousSession = session
            session = open.session
            store.begin(open)
            ledger.expire()
        case .poll: try require(machine.phase == before, "a POLL changes the phase")
        case .close: try require([before, .idle].contains(machine.phase), "CLOSE, not closed")
        }
        try require(isOpened == (machine.ticket != ticket), "another ticket")
    }

    private func open() throws(BrokenProperty) {
        let wordCount = UInt8(3 + input.choice(125))
        try hear(
            .open(
                .init(
                    session: anySession(),
                    chunkSize: ChunkSize(wordCount: wordCount)!,
                    manifestByteCount: UInt32(
                        min(66 + input.magnitude(bitCountMax: 25), 33_554_432)
                    ),
                    tag: TransferTag(rawValue: UInt64(input.byte()))
                )
            )
        )
    }

    private func poll() -> SenderControl.Poll {
        .init(
            session: anySession(),
            object: input.flag() ? .image : .manifest,
            epoch: Epoch(input.byte())
        )
    }

    private func close() throws(BrokenProperty) {
        // Rarely, or hardly any input would get far.
        guard input.byte() >= 0xF0 else { return }
        try hear(.close(.init(session: anySession(), reason: .cancelled)))
    }

    private func anySession() -> SessionNumber {
        switch input.choice(4) {
        case 0: session
        case 1: session.next
        case 2: previousSession
        default: SessionNumber(input.uint16())
        }
    }

    private func hearBytes() throws(BrokenProperty) {
        let kind = input.choice(3)
        let bytes = input.bytes(countMax: 560)
        switch kind {
        case 0: try deliver(bytes)
        case 1: try deliver(Datagram.sealed(bytes, session: session))
        default: try deliver(data: bytes)
        }
    }

    // MARK: - Data frames of the sender

    /// Chunks as an honest sender would send them.
    private func sendInOrder() throws(BrokenProperty) {
        let count = 1 + input.magnitude(bitCountMax: 10)
        let flags = input.byte()
        guard let shadow = store.shadow else { return }
        let first = flags & 1 != 0 ? ledger.cumulative : store.sendNext
        for step in 0..<UInt32(count) {
            let index = first &+ step
            guard chunksLeft > 0, index < shadow.chunkCount else { break }
            let isLast = step + 1 == UInt32(count) || index + 1 == shadow.chunkCount
            try send(index, isPoll: flags & 2 != 0 && isLast)
            store.sendNext = index &+ 1
        }
        if flags & 4 != 0 { try drain() }
    }

    private func sendSomewhere() throws(BrokenProperty) {
        let flags = input.byte()
        let distance = UInt32(input.magnitude(bitCountMax: 16))
        let index: UInt32 =
            switch flags & 3 {
            case 0: ledger.cumulative &+ distance
            case 1: ledger.cumulative &- distance
            case 2: UInt32(truncatingIfNeeded: ledger.edge) &- distance
            default: (store.shadow?.chunkCount ?? 0) &- distance
            }
        try send(index, isPoll: flags & 4 != 0)
    }

    private func send(_ index: UInt32, isPoll: Bool) throws(BrokenProperty) {
        guard let shadow = store.shadow, index < shadow.chunkCount else { return }
        let payload = Content.bytes(in: shadow.byteRange(ofChunk: index), of: shadow.object)
        // One that is there already may lie further back than 15 bits of index reach.
        let isPromised =
            machine.phase == .receiving(shadow.object) && ledger.isCurrent && !shadow.has(index)
            && !setup.options.leavesPaceToSender
            && index >= ledger.cumulative && UInt64(index) < ledger.edge
        let dropped = machine.statistics.dataFramesDropped
        try deliver(
            data: Datagram.data(
                chunkIndex: index,
                isPoll: isPoll,
                payload: payload,
                header: ledger.header
            ),
            chunk: index
        )
        try require(
            !isPromised || machine.statistics.dataFramesDropped == dropped,
            "chunk \(index) had credit and was dropped"
        )
    }

    /// A right checksum over a wrong length, index, epoch or content.
    private func sendLie() throws(BrokenProperty) {
        let flags = input.byte()
        let index = flags & 1 != 0 ? input.uint32() : ledger.cumulative &+ UInt32(input.byte())
        var payload = input.bytes(countMax: 508)
        if flags & 2 != 0, let chunkSize = machine.chunkSize {
            payload = Array(repeating: flags, count: chunkSize.byteCount)
        }
        guard !payload.isEmpty else { return }
        let datagram = Datagram.data(
            chunkIndex: index,
            isPoll: flags & 4 != 0,
            payload: payload,
            header: flags & 8 != 0 ? ledger.headerBefore : ledger.header
        )
        let (wasTainted, placed) = (store.isTainted, machine.statistics.dataFramesPlaced)
        store.isTainted = true
        try deliver(data: datagram, chunk: index)
        store.isTainted = wasTainted || machine.statistics.dataFramesPlaced != placed
    }

    private func sendEcho() throws(BrokenProperty) {
        let token = UInt32(input.uint16() & 0x7FFF)
        let payload = Array(repeating: UInt8(0), count: 1 + Int(input.uint16() % 508))
        try deliver(
            data: Datagram.data(
                chunkIndex: token,
                isPoll: false,
                payload: payload,
                header: .echo
            )
        )
    }

    private func deliver(data: [UInt8], chunk index: UInt32? = nil) throws(BrokenProperty) {
        chunksLeft -= 1
        let (before, phase) = (machine.statistics, machine.phase)
        // Whatever it is, it may turn out to be a probe.
        echoesDue = min(echoesDue + 1, 8)
        try enter { $0.receive(data: data.span.bytes, at: now) }
        let after = machine.statistics
        let isPlaced = after.dataFramesPlaced > before.dataFramesPlaced
        let isRepeated = after.dataFramesRepeated > before.dataFramesRepeated
        let isDropped = after.dataFramesDropped > before.dataFramesDropped
        try require(
            [isPlaced, isRepeated, isDropped].filter(\.self).count == 1,
            "a frame counted twice"
        )
        try require(machine.phase == phase, "a data frame changes the phase")
        if isPlaced { try store.placed(index, data.count) }
    }

    // MARK: - Store and application

    private func answerNext() throws(BrokenProperty) {
        guard let (answer, ticket) = store.nextAnswer(in: machine.phase, machine.ticket, &input)
        else { return }
        let before = machine.phase
        let isStale = ticket != machine.ticket
        if !isStale, answer.beginsAnew { ledger.expire() }
        try enter { $0.handle(answer, for: ticket, at: now) }
        try require(!isStale || machine.phase == before, "a stale answer changes the phase")
        try store.checkMap()
    }

    /// More is durable, or an answer comes to a task of an earlier session.
    private func answerUnasked() throws(BrokenProperty) {
        if input.flag(), let stale = store.staleTicket(machine.ticket) {
            let before = machine.phase
            let answers: [StorageAnswer] = [
                .stored(block: 0), .rejected(block: input.choice(8)), .lookUpAgain,
                .published(receipt: 1), .durable(byteCount: .max),
                .refused(.storeFailed, detail: 0),
            ]
            let answer = answers[input.choice(answers.count)]
            try enter { $0.handle(answer, for: stale, at: now) }
            try require(machine.phase == before, "a stale answer changes the phase")
        } else if let byteCount = store.nextDurable(&input), case .receiving = machine.phase {
            let ticket = machine.ticket
            try enter { $0.handle(.durable(byteCount: byteCount), for: ticket, at: now) }
        }
    }

    private func command() throws(BrokenProperty) {
        switch input.byte() {
        case 0xFF:
            let before = machine.phase
            try enter { $0.giveUp(because: .cancelled, at: now) }
            switch before {
            case .idle, .finished: try require(machine.phase == before, "nothing to give up")
            case .requesting: try require(machine.phase == .idle, "still in \(machine.phase)")
            default:
                try require(
                    machine.phase == .finished(.cancelled),
                    "still in \(machine.phase)"
                )
            }
        case let byte:
            let before = machine.phase
            let requested = SessionNumber(session.rawValue &+ UInt16(byte & 3))
            try enter { $0.request(TransferTag(rawValue: 1), session: requested, at: now) }
            try require(
                machine.phase == (before == .idle ? .requesting : before),
                "a request in \(before) leads to \(machine.phase)"
            )
        }
    }
}

extension StorageAnswer {
    /// Whether the receiver answers it with a new epoch, or lets go of the object.
    fileprivate var beginsAnew: Bool {
        switch self {
        case .planned, .manifestMismatch, .rejected, .lookUpAgain, .refused: true
        case .alreadyCurrent, .published, .stored, .durable: false
        }
    }
}
