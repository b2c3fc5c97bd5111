import BLEOTADevice
import BLEOTAHost

/// A whole session: the sender's frames come when the tape says, a store answers, and what the
/// receiver says is held against the tape, as far as it is not free in it.
///
/// The functions stay apart, since one stack frame for all that they do does not fit the memory of
/// a small microcontroller.
struct TransferVector: ~Copyable {
    /// How long a block takes to be written: longer than the tapes' chunks are apart, so that more
    /// of them arrive before a block is stored or rejected.
    private static var writeTime: Microseconds { .milliseconds(19) }

    private struct Write {
        let object: ObjectID
        let block: Int
        let ticket: StorageTicket
        let due: Instant
    }

    private var receiver: Receiver
    private var store: TapeStore
    /// Blocks that are being written, oldest first: no more than the memory holds.
    private var writes = InlineArray<2, Write?>(repeating: nil)
    /// The epoch of the last ACK.
    private var epoch: Epoch?
    private var droppedCount: UInt32 = 0
    private var acknowledgementCount = 0

    static func read(_ input: inout VectorInput, _ reading: inout Reading) {
        let setup = TapeSetup(&input)
        let memory = TapeMemory(Machine.room)
        defer { memory.clear() }
        reading.say("transfer")
        var transfer = TransferVector(setup, memory)
        transfer.start(setup, &reading)
        for _ in 0..<input.uint16() {
            let now = Instant(microseconds: Int64(input.uint32()) * 1_000)
            let isData = input.bool()
            transfer.handle(input.counted(), isData: isData, at: now, &reading)
        }
        transfer.sayEnd(&reading)
    }

    private init(_ setup: TapeSetup, _ memory: TapeMemory) {
        receiver = Receiver(options: setup.options, memory: memory.receiver)
        store = TapeStore(memory: memory, setup)
    }

    @inline(never)
    private mutating func start(_ setup: TapeSetup, _ reading: inout Reading) {
        let now = Instant(microseconds: 0)
        guard let request = setup.request else { return }
        receiver.request(request.nameTag, session: request.session, at: now)
        react(at: now, &reading)
    }

    @inline(never)
    private mutating func handle(
        _ frame: UnsafeRawBufferPointer,
        isData: Bool,
        at now: Instant,
        _ reading: inout Reading
    ) {
        pass(to: now, &reading)
        if isData {
            if !receiver.receive(data: frame.bytes, at: now) { droppedCount += 1 }
        } else {
            receiver.receive(control: frame.bytes, at: now)
        }
        react(at: now, &reading)
    }

    /// Does what is due before a moment, in the order in which it is due.
    @inline(never)
    private mutating func pass(to moment: Instant, _ reading: inout Reading) {
        while true {
            let written = writes[0]?.due ?? moment
            let deadline = receiver.nextDeadline ?? moment
            let now = min(written, deadline)
            guard now < moment else { return }
            if written == now { finishWrite(at: now) } else { receiver.handleTimeout(at: now) }
            react(at: now, &reading)
        }
    }

    /// Sends what there is to send, and does what the receiver wants of its store.
    private mutating func react(at now: Instant, _ reading: inout Reading) {
        while true {
            if let transmission = receiver.nextTransmission(at: now) {
                say(transmission, &reading)
            } else if let task = receiver.nextTask() {
                perform(task, at: now)
            } else {
                return
            }
        }
    }

    @inline(never)
    private mutating func perform(_ task: StorageTask, at now: Instant) {
        let ticket = receiver.ticket
        switch task {
        case .lookUp(let tag, let manifestByteCount):
            let answer = store.lookUp(tag, manifestByteCount: manifestByteCount)
            receiver.handle(answer, for: ticket, at: now)
        case .write(let object, let block):
            let due = now + Self.writeTime
            let write = Write(object: object, block: block, ticket: ticket, due: due)
            writes[writes[0] == nil ? 0 : 1] = write
        case .judge: receiver.handle(store.judge(), for: ticket, at: now)
        case .publish: receiver.handle(store.publish(), for: ticket, at: now)
        case .release: break
        }
    }

    @inline(never)
    private mutating func finishWrite(at now: Instant) {
        guard let write = writes[0] else { return }
        writes[0] = writes[1]
        writes[1] = nil
        // The memory of a session that is over is another's.
        guard write.ticket == receiver.ticket else { return }
        var store = store
        let answer = receiver.withBytes(ofBlock: write.block) {
            store.write(write.object, block: write.block, $0)
        }
        self.store = store
        receiver.handle(answer, for: write.ticket, at: now)
        // With it what comes after it was taken back.
        if case .rejected = answer { writes[0] = nil }
        if write.object == .image {
            let durable = StorageAnswer.durable(byteCount: store.durableByteCount)
            receiver.handle(durable, for: write.ticket, at: now)
        }
    }

    @inline(never)
    private mutating func say(_ transmission: ReceiverTransmission, _ reading: inout Reading) {
        switch transmission.frame {
        case .acknowledgement(let account):
            acknowledgementCount += 1
            if account.answersPoll || account.epoch != epoch { say(account, &reading) }
            epoch = account.epoch
        case .request: say(transmission, as: " REQUEST", &reading)
        case .result: say(transmission, as: " RESULT", &reading)
        case .busy, .echoReply, .status, .proof: break
        }
        note(transmission, &reading)
    }

    private func say(_ account: Acknowledgement, _ reading: inout Reading) {
        reading.say(" ACK")
        reading.field("flags", account.answersPoll ? 1 : 0)
        reading.field("object", account.object.rawValue)
        reading.field("epoch", account.epoch.rawValue)
        reading.field("cumulative", account.truncatedCumulative)
        account.bitmap.say(&reading)
    }

    @inline(never)
    private func say(
        _ transmission: ReceiverTransmission,
        as name: StaticString,
        _ reading: inout Reading
    ) {
        reading.say(name)
        FrameBuffer.say(&reading, "written") { transmission.encode(into: &$0) }
    }

    /// Notes every byte that is sent, also of what the tape leaves open.
    @inline(never)
    private func note(_ transmission: ReceiverTransmission, _ reading: inout Reading) {
        var buffer = InlineArray<128, UInt8>(repeating: 0)
        var elements = buffer.mutableSpan
        var output = elements.mutableBytes
        let byteCount = transmission.encode(into: &output)
        for index in 0..<byteCount { reading.note(Int(buffer[index])) }
    }

    @inline(never)
    private mutating func sayEnd(_ reading: inout Reading) {
        if let ending = receiver.takeEnding() { reading.field("ended", ending.rawValue) }
        reading.field("dropped", droppedCount)
        reading.field("image", SHA256.hash(store.image.bytes).span.bytes)
        reading.note(acknowledgementCount)
    }
}
