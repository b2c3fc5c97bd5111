import BLEOTADevice
import BLEOTASimulation

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
        let bytes = FrameBytes.of(transmission) { chunk in
            let source = chunk.object == .manifest ? manifestSent : image.bytes
            return Array(source[chunk.byteRange])
        }
        switch transmission {
        case .control: return Datagram(bytes: bytes)
        case .echo: return Datagram(bytes: bytes, isData: true)
        case .data(let chunk):
            let isNew = chunk.object == .image && !chunk.isRepeated
            return Datagram(
                bytes: bytes,
                isData: true,
                newImageByteCount: isNew ? chunk.byteRange.count : 0
            )
        }
    }
}
