import BLEOTA
import BLEOTACore
import BLEOTAWire

/// Somebody in reach of a device, who knows the protocol and everything that the owner ever sent
/// and has no key, over a link to the real ``BLEOTA/serve(over:into:policy:offering:onEvent:)``.
///
/// The first byte of the input says what the device holds; then each operation is a byte and its
/// operands. What the sender can't know is not in the input: it hears the present epoch, and
/// answers. Tasks of the device run beside it, so that the same input need not take the same path
/// twice; what must hold, must hold on each.
struct HostileRun {
    private static let operationCountMax = 64
    private static let limits = TransportLimits(attMTU: 247)
    /// How often a device is asked that is busy.
    private static let patience = 200

    private let scene = HostileScene.shared
    private var input: FuzzInput
    private let link: LoopbackTransport
    private let deviceEnd: LoopbackTransport
    private var session = SessionNumber(0x1234)
    private var chunkSize = ChunkSize(wordCount: 60)!
    /// What the last OPEN announced, with the sender's edits.
    private var manifest: [UInt8]
    /// What the device said last of what it wants.
    private var account: Acknowledgement?
    private var isBusy = false
    private var hasEnded = false
    private var operation = 0
    /// What the device said to what.
    private(set) var exchanges: Set<Exchange> = []

    /// - Parameter bytes: have to live as long as the run.
    init(_ bytes: UnsafeRawBufferPointer) {
        input = FuzzInput(bytes)
        (link, deviceEnd) = LoopbackTransport.makePair(limits: Self.limits)
        manifest = scene.manifests[1].bytes
    }

    mutating func play() async throws(BrokenProperty) {
        let isBegun = input.flag()
        let store = try await GuardedStore(scene, isBegun: isBegun)
        let (deviceEnd, policy) = (deviceEnd, scene.policy)
        async let served: Void = serve(over: deviceEnd, into: store, policy: policy)
        do throws(TransportError) {
            var operationCount = 0
            while !input.isAtEnd, operationCount < Self.operationCountMax {
                try await operate(mayBeRight: isBegun)
                operationCount += 1
            }
        } catch {
            link.close(.local)
            await served
            throw BrokenProperty(description: "the device left: \(error)")
        }
        link.close(.local)
        await served
        try await store.check()
    }

    private mutating func operate(mayBeRight: Bool) async throws(TransportError) {
        operation = input.choice(12)
        switch operation {
        case 0, 1: try await open(edited(mayBeRight: mayBeRight))
        case 2: try await openAnything()
        case 3, 4: try await sendObject()
        case 5: try await sendChunk()
        case 6: try await say(.poll(poll()))
        case 7:
            let reason = input.flag() ? Reason.cancelled : .withdrawn
            try await say(.close(.init(session: session, reason: reason)))
        case 8:
            let bytes = input.bytes(countMax: 64)
            try await send(FrameBytes.sealed(bytes, session: session), on: .control)
        case 9: try await send(input.bytes(countMax: 244), on: .control)
        case 10: try await send(input.bytes(countMax: 244), on: .data)
        default: break
        }
        try await hear()
    }

    // MARK: - What is said

    private mutating func open(_ bytes: [UInt8]) async throws(TransportError) {
        manifest = bytes
        account = nil
        if input.flag() { session = session.next }
        try await sayOpen(manifestByteCount: bytes.count, TransferTag(hashing: bytes))
        try await awaitVerdict(chunkCount: nil)
    }

    private mutating func openAnything() async throws(TransportError) {
        account = nil
        session = SessionNumber(input.uint16())
        try await sayOpen(
            manifestByteCount: 66 + input.magnitude(bitCountMax: 16),
            input.flag() ? scene.manifests[0].tag : TransferTag(rawValue: 1)
        )
    }

    private mutating func sayOpen(
        manifestByteCount: Int,
        _ tag: TransferTag
    ) async throws(TransportError) {
        chunkSize = ChunkSize(wordCount: UInt8(3 + input.choice(58)))!
        try await say(
            .open(
                .init(
                    session: session,
                    chunkSize: chunkSize,
                    manifestByteCount: UInt32(manifestByteCount),
                    tag: tag
                )
            )
        )
    }

    /// One of the manifests, changed in a few places. The owner's own for this device comes only
    /// to a device that had it from the owner: everybody may go on with that.
    private mutating func edited(mayBeRight: Bool) -> [UInt8] {
        var bytes = scene.manifests[input.choice(scene.manifests.count)].bytes
        for _ in 0..<input.choice(4) {
            bytes[Int(input.uint16()) % bytes.count] ^= input.byte()
        }
        if bytes == scene.manifests[0].bytes, !mayBeRight { bytes[bytes.count - 1] ^= 1 }
        return bytes
    }

    /// The chunks that the device wants, of the manifest or of the image.
    private mutating func sendObject() async throws(TransportError) {
        guard let account else { return }
        let (edit, value) = (Int(input.uint16()), input.byte())
        var bytes = account.object == .image ? scene.image : manifest
        if value & 3 == 3 { bytes[edit % bytes.count] ^= value }
        let chunkCount = (bytes.count + chunkSize.byteCount - 1) / chunkSize.byteCount
        let first = Int(account.cumulative(chunkSize: chunkSize))
        for index in first..<max(first, min(chunkCount, first + 64)) {
            let start = index * chunkSize.byteCount
            let payload = bytes[start..<min(start + chunkSize.byteCount, bytes.count)]
            try await send(
                chunk: UInt32(index),
                Array(payload),
                isPoll: index + 1 == chunkCount
            )
        }
        try await awaitVerdict(chunkCount: chunkCount)
    }

    private mutating func sendChunk() async throws(TransportError) {
        let index = input.flag() ? input.uint32() : UInt32(input.byte())
        let payload = input.bytes(countMax: 240)
        guard !payload.isEmpty else { return }
        try await send(chunk: index, payload, isPoll: input.flag())
    }

    private func poll() -> SenderControl.Poll {
        .init(
            session: session,
            object: account?.object ?? .image,
            epoch: account?.epoch ?? Epoch(0)
        )
    }

    private func send(
        chunk index: UInt32,
        _ payload: [UInt8],
        isPoll: Bool
    ) async throws(TransportError) {
        let header = PseudoHeader(
            session: session,
            object: account?.object ?? .image,
            epoch: account?.epoch ?? Epoch(0)
        )
        try await send(
            FrameBytes.data(chunkIndex: index, isPoll: isPoll, payload: payload, header: header),
            on: .data
        )
    }

    private func say(_ frame: SenderControl) async throws(TransportError) {
        try await send(FrameBytes.bytes(of: frame), on: .control)
    }

    private func send(_ bytes: [UInt8], on channel: Datagram.Channel) async throws(TransportError) {
        guard !bytes.isEmpty else { return }
        try await link.send(bytes, on: channel, .withoutResponse)
    }

    // MARK: - What is heard

    /// Hears everything up to the answer to a QUERY of its own.
    private mutating func hear() async throws(TransportError) {
        try await say(.query(.init(session: session)))
        while true {
            var isAnswered = false
            for datagram in try await link.receive() {
                let frame = try? ReceiverControl(
                    decoding: datagram.bytes.span.bytes,
                    session: session
                )
                switch frame {
                case .acknowledgement(let account):
                    self.account = account
                    isBusy = false
                    note(.account(of: account.object))
                case .busy: isBusy = true
                case .result(let result):
                    (isBusy, hasEnded) = (false, true)
                    note(.result(result.reason))
                case .status: isAnswered = true
                default: break
                }
            }
            if isAnswered { return }
        }
    }

    private mutating func note(_ answer: Exchange.Answer) {
        exchanges.insert(Exchange(operation: operation, answer: answer))
    }

    /// Asks until the device has judged what it got.
    ///
    /// - Parameter chunkCount: how many the object has that was sent; it is not judged yet when the
    ///   device acknowledges the last of them.
    private mutating func awaitVerdict(chunkCount: Int?) async throws(TransportError) {
        let epoch = account?.epoch
        (isBusy, hasEnded) = (true, false)
        for _ in 0..<Self.patience {
            try await say(.poll(poll()))
            try await hear()
            if hasEnded { return }
            guard let account else { continue }
            let isWhole = account.truncatedCumulative == chunkCount.map { UInt16($0) }
            if !isBusy, account.epoch != epoch || !isWhole { return }
        }
    }
}
