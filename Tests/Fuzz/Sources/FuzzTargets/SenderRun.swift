import BLEOTACore
import BLEOTAWire

/// A list of operations on a sender. The first bytes of the input say how it is made; then each
/// operation is a byte and its operands. At the end the peer falls silent, and the session has to
/// end by itself.
final class SenderRun {
    private static let operationCountMax = 512
    /// More than any session can need: a probe, a poll or a burst at a time until its limits.
    private static let silentTimeoutCountMax = 40_000

    private let setup: SenderSetup
    private let ring: GuardedMemory<SentChunk>
    private var input: FuzzInput
    private var machine: Sender
    private var ledger: SenderLedger
    private var now = Instant(microseconds: 0)
    private var reopenings: UInt64 = 0
    private var durableByteCount: UInt32 = 0

    init(_ bytes: UnsafeRawBufferPointer) {
        var input = FuzzInput(bytes)
        let setup = SenderSetup(&input)
        let ring = GuardedMemory(count: setup.ringChunkCount, filledWith: SentChunk())
        self.setup = setup
        self.ring = ring
        self.input = input
        ledger = SenderLedger(setup)
        machine = Sender(
            transfer: setup.transfer,
            session: setup.session,
            frameByteCountMax: setup.frameByteCountMax,
            options: setup.options,
            memory: ring.elements,
            at: now
        )
    }

    func play() throws(BrokenProperty) {
        try checkState()
        var operationCount = 0
        while !input.isAtEnd, operationCount < Self.operationCountMax {
            try operate()
            try checkState()
            operationCount += 1
        }
        try fallSilent()
        try require(ring.isIntact, "something was written outside the ring")
    }

    private func operate() throws(BrokenProperty) {
        switch input.choice(16) {
        case 0: passTime(input.magnitude(bitCountMax: 24))
        case 1: waitForDeadline()
        case 2: try drain(countMax: .max)
        case 3: try drain(countMax: 1 + input.choice(8))
        case 4: try hear(.acknowledgement(truth()))
        case 5: try hear(.acknowledgement(account(of: ledger.epoch)))
        case 6:
            let epoch = Epoch(ledger.epoch.rawValue &+ 1 &+ input.byte())
            try hear(.acknowledgement(account(of: epoch)))
        case 7: try hear(.acknowledgement(anyAccount()))
        case 8: try hear(.busy(busy()))
        case 9: try hearResult()
        case 10: try hear(.echoReply(echoReply()))
        case 11: try hearStray()
        case 12: try hearBytes(input.bytes(countMax: 96))
        case 13:
            let bytes = input.bytes(countMax: 96)
            try hearBytes(FrameBytes.sealed(bytes, session: machine.session))
        case 14: try abort()
        default: try settle()
        }
    }

    // MARK: - Time and output

    private func passTime(_ microseconds: Int) {
        now = now + Microseconds(Int64(microseconds))
        machine.handleTimeout(at: now)
    }

    private func waitForDeadline() {
        if let deadline = machine.nextDeadline { now = max(now, deadline) }
        machine.handleTimeout(at: now)
    }

    /// Takes what the sender wants to send, at most `countMax` datagrams.
    private func drain(countMax: Int) throws(BrokenProperty) {
        var count = 0
        while count < countMax, let transmission = machine.nextTransmission(at: now) {
            try check(transmission)
            count += 1
            try require(count <= setup.drainCountMax, "\(count) datagrams at once")
        }
    }

    /// Handles timeouts until the next lies in the future: it may not be due for ever.
    private func settle() throws(BrokenProperty) {
        var count = 0
        repeat {
            machine.handleTimeout(at: now)
            try drain(countMax: .max)
            count += 1
            try require(
                count <= 8 || setup.mayBurstWithoutPause && count <= Self.silentTimeoutCountMax,
                "a deadline that stays due in \(machine.phase)"
            )
        } while machine.nextDeadline.map { $0 <= now } ?? false
    }

    private func fallSilent() throws(BrokenProperty) {
        var count = 0
        while machine.nextDeadline != nil {
            waitForDeadline()
            try drain(countMax: .max)
            try checkState()
            count += 1
            try require(
                count <= Self.silentTimeoutCountMax,
                "a session without end in \(machine.phase)"
            )
        }
        try drain(countMax: .max)
        let last = machine.nextTransmission(at: now)
        try require(last == nil, "after its end it sends \(last as Any)")
    }

    private func check(_ transmission: SenderTransmission) throws(BrokenProperty) {
        switch (transmission, machine.phase) {
        case (.control(.open(let open)), .opening):
            try require(
                open.session == machine.session && open.chunkSize == machine.chunkSize
                    && open.tag == setup.transfer.tag
                    && open.manifestByteCount == setup.transfer.manifestByteCount,
                "an OPEN of another session"
            )
            try checkWritten(.open(open))
        case (.control(.poll(let poll)), .streaming(let object)),
            (.control(.poll(let poll)), .awaitingResult(let object)):
            try require(
                poll.session == machine.session && poll.object == object
                    && poll.epoch == ledger.epoch,
                "a POLL of another account"
            )
            try checkWritten(.poll(poll))
        case (.control(.close(let close)), .ended):
            try require(close.session == machine.session, "a CLOSE of another session")
            try checkWritten(.close(close))
        case (.data(let chunk), .streaming):
            try ledger.check(chunk, chunkSize: machine.chunkSize)
        case (.echo(let token, let byteCount), .discoveringSize):
            try require(
                token < 0x8000 && (5...512).contains(byteCount)
                    && byteCount <= setup.frameByteCountMax,
                "an echo probe of \(byteCount) bytes"
            )
        default:
            throw BrokenProperty(description: "\(transmission) in \(machine.phase)")
        }
    }

    private func checkWritten(_ frame: SenderControl) throws(BrokenProperty) {
        let read = try FrameRun.readSender(FrameBytes.bytes(of: frame))
        try require(read == frame, "\(frame) reads as \(read as Any)")
    }

    /// What holds after every operation.
    private func checkState() throws(BrokenProperty) {
        switch machine.phase {
        case .ended(let outcome):
            try require(machine.outcome == outcome, "another outcome than its phase says")
            try require(machine.nextDeadline == nil, "a deadline after the end")
        case .opening, .streaming, .awaitingResult, .discoveringSize:
            try require(machine.outcome == nil, "an outcome before the end")
            try require(machine.nextDeadline != nil, "no deadline in \(machine.phase)")
        }
        try require(
            machine.chunkSize.frameByteCount <= setup.frameByteCountMax,
            "a chunk that does not fit the link"
        )
        try require(
            (durableByteCount...setup.transfer.imageByteCount).contains(machine.durableByteCount),
            "the durable part went from \(durableByteCount) to \(machine.durableByteCount) bytes"
        )
        durableByteCount = machine.durableByteCount
        let isReopened = machine.statistics.reopenings != reopenings
        reopenings = machine.statistics.reopenings
        if isReopened { ledger.note(session: machine.session) }
    }

    // MARK: - Input

    /// Delivers a frame and holds the state after it against the frame.
    private func hear(_ frame: ReceiverControl) throws(BrokenProperty) {
        let before = machine.phase
        let effect: SenderLedger.Effect? =
            if case .acknowledgement(let account) = frame {
                ledger.hears(account, in: before, chunkSize: machine.chunkSize)
            } else { nil }
        let datagram = FrameBytes.bytes(of: frame, session: machine.session)
        let error = machine.receive(datagram.span.bytes, at: now)
        try require(error == nil, "\(frame) is dropped: \(error as Any)")
        let after = machine.phase
        switch effect {
        case nil: return
        case .ignored: try require(after == before, "an account was to be ignored: \(after)")
        case .malformed:
            try require(
                after == .ended(.aborted(.malformedAccount)),
                "an account can't be true: \(after)"
            )
        case .adopted, .advanced:
            let isSettled = ledger.cumulative == ledger.chunkCount(machine.chunkSize)
            try require(
                after == (isSettled ? .awaitingResult(ledger.object) : .streaming(ledger.object)),
                "\(ledger.cumulative) chunks lead to \(after)"
            )
        }
    }

    private func hearResult() throws(BrokenProperty) {
        let reasons: [Reason] = [.verified, .noSession, .busy, .blockMismatch, .version]
        let result = ReceiverControl.Result(
            reason: reasons[input.choice(reasons.count)],
            detail: UInt64(input.byte())
        )
        let (before, session) = (machine.phase, machine.session)
        try hear(.result(result))
        switch (before, result.reason) {
        case (.ended, _), (.opening, .noSession):
            try require(machine.phase == before, "\(result) in \(before): \(machine.phase)")
        case (_, .noSession):
            try require(
                machine.phase == .opening && machine.session == session.next,
                "\(result) in \(before): \(machine.phase)"
            )
        default:
            let isSuccess = result == .init(reason: .verified, detail: SenderSetup.digestPrefix)
            let outcome = machine.outcome
            try require(outcome != nil, "\(result) in \(before): \(machine.phase)")
            try require((outcome == .verified) == isSuccess, "\(result) is taken as \(outcome!)")
        }
    }

    /// A frame of another session has to be dropped by its checksum.
    private func hearStray() throws(BrokenProperty) {
        let before = machine.phase
        let session = SessionNumber(machine.session.rawValue ^ max(input.uint16(), 1))
        let datagram = FrameBytes.bytes(
            of: .acknowledgement(account(of: ledger.epoch)),
            session: session
        )
        let error = machine.receive(datagram.span.bytes, at: now)
        try require(error == .checksum && machine.phase == before, "an ACK of another session")
    }

    private func hearBytes(_ bytes: [UInt8]) throws(BrokenProperty) {
        if let frame = try? ReceiverControl(
            decoding: bytes.span.bytes,
            session: machine.session
        ) {
            try hear(frame)
            return
        }
        let before = machine.phase
        let error = machine.receive(bytes.span.bytes, at: now)
        try require(error != nil && machine.phase == before, "bytes that are no frame count")
    }

    private func abort() throws(BrokenProperty) {
        // Rarely, or hardly any input would get far.
        guard input.byte() == 0xFF else { return }
        let before = machine.phase
        machine.abort(.cancelled)
        if case .ended = before {
            try require(machine.phase == before, "an end after the end")
        } else {
            try require(machine.phase == .ended(.aborted(.cancelled)), "it did not give up")
        }
    }

    // MARK: - Frames of the peer

    /// The account of a receiver that got part of what was sent.
    private func truth() -> Acknowledgement {
        let sentCount = ledger.sentEnd - min(ledger.cumulative, ledger.sentEnd)
        let count = min(UInt32(input.magnitude(bitCountMax: 10)), sentCount)
        let cumulative = ledger.cumulative + count
        let flags = input.byte()
        var bitmap = ReceivedBitmap()
        if flags & 1 != 0, sentCount > count {
            let bitCount = min(Int(sentCount - count) - 1, ReceivedBitmap.bitCount)
            for (index, byte) in input.bytes(countMax: 64).enumerated() {
                for bit in 0..<8 where byte >> UInt8(bit) & 1 != 0 && 8 * index + bit < bitCount {
                    bitmap[8 * index + bit] = true
                }
            }
        }
        let isDurable = flags & 2 != 0 && ledger.object == .image
        let byteCount = UInt64(cumulative) * UInt64(machine.chunkSize.byteCount)
        return Acknowledgement(
            answersPoll: flags & 4 != 0,
            object: ledger.object,
            epoch: ledger.epoch,
            truncatedCumulative: UInt16(truncatingIfNeeded: cumulative),
            credit: credit(),
            durableByteCount: isDurable
                ? UInt32(min(byteCount, UInt64(setup.transfer.imageByteCount))) : 0,
            delayMilliseconds: flags & 8 != 0 ? 255 : 0,
            bitmap: bitmap
        )
    }

    private func credit() -> Credit {
        let byte = input.byte()
        return byte == 0xFF ? .unlimited : Credit(clamping: Int(byte) << (byte & 7))
    }

    /// An account near what was said before, true or not.
    private func account(of epoch: Epoch) -> Acknowledgement {
        let flags = input.byte()
        var bitmap = ReceivedBitmap()
        if flags & 1 != 0 { bitmap[Int(input.uint16()) % ReceivedBitmap.bitCount] = true }
        let object: ObjectID = flags & 2 != 0 ? .image : .manifest
        var cumulative = Int64(epoch == ledger.epoch ? ledger.cumulative : 0)
        let distance = Int64(input.magnitude(bitCountMax: 16))
        cumulative += flags & 4 != 0 ? -distance : distance
        var durableByteCount: UInt32 = 0
        if flags & 8 != 0 {
            durableByteCount = UInt32(input.magnitude(bitCountMax: 32))
            // At the end of the object, from where the cumulative acknowledgement is counted.
            if flags & 16 != 0 {
                durableByteCount =
                    setup.byteCount(of: object)
                    - min(
                        durableByteCount,
                        setup.byteCount(of: object)
                    )
            }
            cumulative += Int64(durableByteCount) / Int64(machine.chunkSize.byteCount)
        }
        return Acknowledgement(
            answersPoll: flags & 32 != 0,
            object: object,
            epoch: epoch,
            truncatedCumulative: UInt16(truncatingIfNeeded: cumulative),
            credit: credit(),
            durableByteCount: durableByteCount,
            bitmap: bitmap
        )
    }

    private func anyAccount() -> Acknowledgement {
        var bitmap = ReceivedBitmap()
        for _ in 0..<input.choice(4) {
            bitmap[Int(input.uint16()) % ReceivedBitmap.bitCount] = true
        }
        return Acknowledgement(
            answersPoll: input.flag(),
            object: input.flag() ? .image : .manifest,
            epoch: Epoch(input.byte()),
            truncatedCumulative: input.uint16(),
            credit: credit(),
            durableByteCount: input.uint32(),
            delayMilliseconds: input.byte(),
            bitmap: bitmap
        )
    }

    private func busy() -> ReceiverControl.Busy {
        .init(
            phase: BusyPhase(rawValue: UInt8(1 + input.choice(4)))!,
            object: ledger.object,
            epoch: ledger.epoch,
            millisecondsLeft: input.uint16()
        )
    }

    /// A reply to a probe of one of the sizes that are sent, or to something else.
    private func echoReply() -> ReceiverControl.EchoReply {
        let sizes = [16, 20, 60, 100, 180, 244, 492, machine.chunkSize.frameByteCount]
        let choice = input.choice(sizes.count + 1)
        if choice < sizes.count {
            return .init(token: UInt16(sizes[choice]), byteCount: UInt16(sizes[choice]))
        }
        return .init(token: input.uint16() & 0x7FFF, byteCount: 5 + input.uint16() % 508)
    }
}
