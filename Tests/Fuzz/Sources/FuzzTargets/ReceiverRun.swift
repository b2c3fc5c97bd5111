import BLEOTACore
import BLEOTAHost
import BLEOTAWire

/// A list of operations on a receiver with a store and a sender. The first bytes of the input say
/// how it is made; then each operation is a byte and its operands. At the end the sender falls
/// silent, and the receiver has to be idle again by itself.
final class ReceiverRun {
    private static let operationCountMax = 512
    private static let chunkBudget = 1_000
    private static let silentTimeoutCountMax = 1_000

    let setup: ReceiverSetup
    var input: FuzzInput
    var machine: Receiver
    var ledger = ReceiverLedger()
    var now = Instant(microseconds: 0)
    var store = StoreShadow()
    var session = SessionNumber(0)
    var previousSession = SessionNumber(0)
    var chunksLeft = ReceiverRun.chunkBudget
    var echoesDue = 0

    init(_ bytes: UnsafeRawBufferPointer) {
        var input = FuzzInput(bytes)
        let setup = ReceiverSetup(&input)
        self.setup = setup
        self.input = input
        machine = Receiver(options: setup.options, memory: setup.memory)
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
    func enter(
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
            try require(count <= setup.blockCountMax + 4, "\(count) tasks at once")
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

    func drain() throws(BrokenProperty) {
        var count = 0
        while let transmission = machine.nextTransmission(at: now) {
            try check(transmission)
            count += 1
            // Eight answers outside any session, BUSY and an account.
            try require(count <= 10, "\(count) frames at once")
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
        let datagram = FrameBytes.bytes(of: transmission.frame, session: transmission.session)
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
        case (.status(let status), _):
            try require(status == machine.running, "\(status), and runs \(machine.running)")
        case (.echoReply, _):
            echoesDue -= 1
            try require(echoesDue >= 0, "an echo of nothing")
        default:
            throw BrokenProperty(description: "\(transmission) in \(machine.phase)")
        }
    }
}
