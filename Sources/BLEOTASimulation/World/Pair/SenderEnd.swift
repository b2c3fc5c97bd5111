import BLEOTACore

/// A sender with its memory, its image and its watch: the sending end.
final class SenderEnd {
    var machine: Sender
    private let ring: GuardedMemory<SentChunk>
    private let transfer: InMemoryTransfer
    private let undetectedDamage: Double
    private var watch = SenderWatch()
    /// The number of image chunks in flight at each interruption, including chunks sent before
    /// the sender noticed the interruption and opened a new session.
    private(set) var interruptionCosts: [Int] = []
    private var interruptedSession: SessionNumber?
    private(set) var dataFrameCount = 0
    private(set) var imageFrameCount = 0
    private(set) var chunkEnd: UInt32 = 0

    init(
        _ scenario: Scenario,
        _ transfer: InMemoryTransfer,
        session: SessionNumber,
        at now: Instant
    ) {
        self.transfer = transfer
        undetectedDamage = scenario.undetectedDamage
        ring = GuardedMemory(count: scenario.ringChunkCount, filledWith: SentChunk())
        var options = SenderOptions()
        options.window = scenario.window
        options.isLinkOrdered = scenario.claimsOrder
        machine = Sender(
            transfer: transfer.description,
            session: session,
            frameByteCountMax: scenario.frameByteCountMax,
            options: options,
            memory: ring.elements,
            at: now
        )
    }

    var isIntact: Bool { ring.isIntact }

    /// The number of sent image chunks that are not acknowledged, as far as the sender knows.
    private var unacknowledgedImageChunkCount: Int {
        guard let cumulative = watch.cumulative(of: .image) else { return 0 }
        return Int(max(chunkEnd, cumulative) - cumulative)
    }

    /// The cumulative acknowledgement of the image, and the edge of its credit.
    var imageAcknowledgement: (cumulative: UInt32, edge: UInt64)? {
        watch.acknowledgement(of: .image)
    }

    /// Records an interruption of the session.
    func isInterrupted() {
        interruptionCosts.append(unacknowledgedImageChunkCount)
        interruptedSession = machine.session
    }

    func receive(_ datagram: [UInt8], at now: Instant) {
        let bytes = datagram.span.bytes
        if let frame = try? ReceiverControl(decoding: bytes, session: machine.session) {
            watch.hears(frame, session: machine.session, chunkSize: machine.chunkSize)
        }
        machine.receive(bytes, at: now)
    }

    /// A datagram, whether it belongs on the data channel, and a description of an error in it,
    /// or `nil`.
    struct Output {
        var datagram: [UInt8]
        var isData = false
        var objection: String?
    }

    func next(
        at now: Instant,
        isHealed: Bool,
        _ random: inout SimulationRandom
    ) -> (output: Output, transmission: SenderTransmission)? {
        guard let transmission = machine.nextTransmission(at: now) else { return nil }
        guard case .data(let chunk) = transmission else {
            let isData = if case .echo = transmission { true } else { false }
            let datagram = FrameBytes.of(transmission) { _ in [] }
            return (Output(datagram: datagram, isData: isData), transmission)
        }
        return (encoded(chunk, isHealed: isHealed, &random), transmission)
    }

    private func encoded(
        _ chunk: SenderTransmission.Chunk,
        isHealed: Bool,
        _ random: inout SimulationRandom
    ) -> Output {
        dataFrameCount += 1
        if chunk.object == .image {
            imageFrameCount += 1
            chunkEnd = max(chunkEnd, chunk.index + 1)
            if let last = interruptionCosts.last, interruptedSession == machine.session {
                interruptionCosts[interruptionCosts.count - 1] = max(
                    last,
                    unacknowledgedImageChunkCount
                )
            }
        }
        var payload = Array(transfer.bytes(of: chunk.object)[chunk.byteRange])
        if !isHealed, random.chance(undetectedDamage) {
            payload[random.int(0...payload.count - 1)] ^= UInt8(random.int(1...255))
        }
        return Output(
            datagram: FrameBytes.of(.data(chunk)) { _ in payload },
            isData: true,
            objection: watch.objection(to: chunk, session: machine.session)
        )
    }
}
