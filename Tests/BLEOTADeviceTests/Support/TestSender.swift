import BLEOTADevice

/// The sender's machine with its memory and its image.
final class TestSender {
    let image: TestImage
    var machine: Sender
    /// What is sent as the manifest.
    var manifestSent: [UInt8]
    private let ring: UnsafeMutableBufferPointer<SentChunk>

    /// A datagram, and the bytes of the image in it that this session did not send before.
    struct Datagram {
        var bytes: [UInt8]
        var isData = false
        var newImageByteCount = 0
    }

    init(
        _ image: TestImage,
        session: UInt16,
        frameByteCountMax: Int = 244,
        isLinkOrdered: Bool = true,
        at now: Instant
    ) {
        self.image = image
        manifestSent = image.manifest
        ring = .allocate(capacity: 1_024)
        ring.initialize(repeating: SentChunk())
        var options = SenderOptions()
        options.isLinkOrdered = isLinkOrdered
        machine = Sender(
            transfer: image.transfer,
            session: SessionNumber(session),
            frameByteCountMax: frameByteCountMax,
            options: options,
            memory: ring,
            at: now
        )
    }

    deinit { ring.deallocate() }

    func next(at now: Instant) -> Datagram? {
        guard let transmission = machine.nextTransmission(at: now) else { return nil }
        switch transmission {
        case .control(let frame): return Datagram(bytes: Self.encoded(frame))
        case .echo(let token, let byteCount):
            let payload = [UInt8](repeating: 0x5A, count: byteCount - 4)
            return Datagram(
                bytes: Self.encoded(payload, UInt32(token), isPoll: false, .echo),
                isData: true
            )
        case .data(let chunk):
            let source = chunk.object == .manifest ? manifestSent : image.bytes
            let payload = Array(source[chunk.byteRange])
            let isNew = chunk.object == .image && !chunk.isRepeated
            return Datagram(
                bytes: Self.encoded(payload, chunk.index, isPoll: chunk.isPoll, chunk.header),
                isData: true,
                newImageByteCount: isNew ? payload.count : 0
            )
        }
    }

    static func encoded(_ frame: SenderControl) -> [UInt8] {
        var datagram = [UInt8](repeating: 0, count: 18)
        var output = datagram.mutableSpan
        var bytes = output.mutableBytes
        let byteCount = frame.encode(into: &bytes)
        return Array(datagram[..<byteCount])
    }

    static func encoded(
        _ payload: [UInt8],
        _ index: UInt32,
        isPoll: Bool,
        _ header: PseudoHeader
    ) -> [UInt8] {
        var datagram = [UInt8](repeating: 0, count: payload.count + 4)
        var output = datagram.mutableSpan
        var bytes = output.mutableBytes
        _ = DataFrame.encode(
            chunkIndex: index,
            isPoll: isPoll,
            payload: payload.span.bytes,
            header: header,
            into: &bytes
        )
        return datagram
    }
}
