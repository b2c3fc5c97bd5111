import BLEOTAWire
import Testing

/// The table of section 2.1, byte by byte, with the checksum computed apart from the module.
@Suite("Layout of the control frames")
struct ControlFrameLayoutTests {
    private static let session = SessionNumber(0xA1B2)

    //= CRC-1
    @Test("OPEN: session, chunk size ÷ 4, manifest byte count, transfer tag")
    func open() {
        let frame = SenderControl.open(
            .init(
                session: Self.session,
                chunkSize: ChunkSize(wordCount: 60)!,
                manifestByteCount: 0x0102_0304,
                tag: TransferTag(rawValue: 0x8877_6655_4433_2211)
            )
        )
        expect(
            frame,
            [0x11, 0xB2, 0xA1, 60, 4, 3, 2, 1, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88]
        )
    }

    @Test("POLL: session, object, epoch")
    func poll() {
        expect(
            .poll(.init(session: Self.session, object: .image, epoch: Epoch(9))),
            [0x12, 0xB2, 0xA1, 1, 9]
        )
    }

    @Test("CLOSE: session, reason")
    func close() {
        expect(
            .close(.init(session: Self.session, reason: .blockMismatch)),
            [0x13, 0xB2, 0xA1, 0x02, 0x04]
        )
    }

    @Test("REQUEST: session, name tag; the session in it is the session of its checksum")
    func request() {
        let frame = ReceiverControl.request(
            .init(session: Self.session, nameTag: TransferTag(rawValue: 0x8877_6655_4433_2211))
        )
        expect(
            frame,
            [0x18, 0xB2, 0xA1, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88],
            toSession: SessionNumber(0x7777),
            checksumOf: Self.session
        )
    }

    @Test("ACK: flags, object, epoch, cumulative, credit, durable byte count, delay, bitmap")
    func acknowledgement() {
        let acknowledgement = Acknowledgement(
            answersPoll: true,
            object: .image,
            epoch: Epoch(0xEE),
            truncatedCumulative: 0x0201,
            credit: .chunks(0x0403),
            durableByteCount: 0x0807_0605,
            delayMilliseconds: 9,
            bitmap: Sample.bitmap(settingBits: [0, 9, 23])
        )
        let header: [UInt8] = [0x19, 1, 1, 0xEE, 1, 2, 3, 4, 5, 6, 7, 8, 9]
        expect(.acknowledgement(acknowledgement), header + [0x01, 0x02, 0x80])
        var silent = acknowledgement
        silent.answersPoll = false
        silent.object = .manifest
        silent.credit = .unlimited
        silent.bitmap = ReceivedBitmap()
        expect(
            .acknowledgement(silent),
            [0x19, 0, 0, 0xEE, 1, 2, 0xFF, 0xFF, 5, 6, 7, 8, 9]
        )
    }

    @Test("BUSY: phase, object, epoch, milliseconds left")
    func busy() {
        let frame = ReceiverControl.busy(
            .init(phase: .writing, object: .image, epoch: Epoch(5), millisecondsLeft: 0x0201)
        )
        expect(frame, [0x1A, 3, 1, 5, 1, 2])
    }

    @Test("RESULT: reason, detail")
    func result() {
        let frame = ReceiverControl.result(
            .init(reason: .noSpace, detail: 0x8877_6655_4433_2211)
        )
        expect(frame, [0x1B, 0x02, 0x03, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88])
    }

    @Test("ECHO REPLY: token, byte count; it belongs to session 0 whatever session the end is in")
    func echoReply() {
        expect(
            .echoReply(.init(token: 0x7A01, byteCount: 0x0102)),
            [0x1C, 0x01, 0x7A, 0x02, 0x01],
            toSession: Self.session,
            checksumOf: .none
        )
    }

    @Test("STATUS: state, running tag")
    func status() {
        let frame = ReceiverControl.status(
            .init(state: .onTrial, runningTag: 0x8877_6655_4433_2211)
        )
        expect(frame, [0x1D, 0x02, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88])
    }

    @Test("QUERY: session")
    func query() {
        expect(.query(.init(session: SessionNumber(0x0201))), [0x14, 0x01, 0x02])
    }

    @Test("CHALLENGE: session, offset, nonce")
    func challenge() {
        let nonce = ChallengeNonce(low: 0x0807_0605_0403_0201, high: 0x0C0B_0A09)
        expect(
            .challenge(.init(session: SessionNumber(0x0201), offset: 0xEE, nonce: nonce)),
            [0x15, 0x01, 0x02, 0xEE] + Array(1...12)
        )
    }

    @Test("PROOF: offset, piece")
    func proof() {
        expect(.proof(.init(offset: 7, piece: Sample.piece(byteCount: 0))), [0x1E, 7])
        expect(
            .proof(.init(offset: 0xEE, piece: Sample.piece(byteCount: 3, first: 1))),
            [0x1E, 0xEE, 1, 2, 3]
        )
    }

    @Test("Every data frame is index and poll flag, payload, checksum")
    func data() {
        let header = PseudoHeader(session: Self.session, object: .image, epoch: Epoch(2))
        let bytes = Wire.dataFrame(
            chunkIndex: 0x0001_8102,
            isPoll: true,
            payload: [0xAA, 0xBB],
            header: header
        )
        let sent: [UInt8] = [0x02, 0x81, 0xAA, 0xBB]
        let covered = [0xB2, 0xA1, 1, 2, 0x02, 0x81, 0x01, 0x00] + sent
        #expect(bytes == sent + Wire.little(ReferenceChecksum.value(of: covered)))
    }

    private func expect(
        _ frame: SenderControl,
        _ bytes: [UInt8],
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let sealed = Wire.sealed(bytes, session: frame.session.rawValue)
        #expect(Wire.bytes(of: frame) == sealed, sourceLocation: sourceLocation)
        #expect(Wire.fromSender(sealed) == .success(frame), sourceLocation: sourceLocation)
    }

    private func expect(
        _ frame: ReceiverControl,
        _ bytes: [UInt8],
        toSession session: SessionNumber = session,
        checksumOf own: SessionNumber = session,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let sealed = Wire.sealed(bytes, session: own.rawValue)
        #expect(Wire.bytes(of: frame, session: session) == sealed, sourceLocation: sourceLocation)
        #expect(
            Wire.fromReceiver(sealed, session: session) == .success(frame),
            sourceLocation: sourceLocation
        )
    }
}
