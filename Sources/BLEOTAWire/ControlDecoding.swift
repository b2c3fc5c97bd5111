/// The checks that decoding shares between both directions, in the order of ``FrameDecodingError``.
enum ControlDecoding {
    /// Checks version, opcode and direction, and returns the opcode.
    static func opcode(
        of bytes: RawSpan,
        fromReceiver: Bool
    ) throws(FrameDecodingError) -> ControlOpcode {
        guard !bytes.isEmpty else { throw .empty }
        let first = bytes.byte(at: ControlLayout.versionAndOpcode)
        let isResult = fromReceiver && first & 0xF == ControlOpcode.result.rawValue
        guard first >> 4 == ProtocolVersion.current || isResult else {
            throw .version(opening: fromReceiver ? nil : foreignOpening(bytes))
        }
        guard let opcode = ControlOpcode(rawValue: first & 0xF),
            opcode.isFromReceiver == fromReceiver
        else { throw .opcode }
        return opcode
    }

    /// Checks the length, which is that of the opcode.
    static func checkLength(
        of bytes: RawSpan,
        _ byteCount: Int
    ) throws(FrameDecodingError) {
        guard bytes.byteCount == byteCount else { throw .length }
    }

    /// Checks the checksum as a frame of `session`.
    static func checkChecksum(
        of bytes: RawSpan,
        session: SessionNumber
    ) throws(FrameDecodingError) {
        guard isIntact(bytes, session: session) else { throw .checksum }
    }

    /// The object in byte `offset`, which must be one that is transferred.
    static func object(in bytes: RawSpan, at offset: Int) throws(FrameDecodingError) -> ObjectID {
        let object = ObjectID(rawValue: bytes.byte(at: offset))
        guard object.isTransferred else { throw .range }
        return object
    }

    /// Not inlined, because the kinds of frame have it in common.
    @inline(never)
    private static func isIntact(_ bytes: RawSpan, session: SessionNumber) -> Bool {
        var checksum = Checksum()
        checksum.update(session.rawValue)
        checksum.update(bytes)
        return checksum.isClosed
    }

    /// The session of an OPEN of another version, whose layout is the same in all versions.
    private static func foreignOpening(_ bytes: RawSpan) -> SessionNumber? {
        let first = bytes.byte(at: ControlLayout.versionAndOpcode)
        guard first & 0xF == ControlOpcode.open.rawValue,
            bytes.byteCount
                >= ControlLayout.Open.session + 2 + ControlLayout.checksumByteCount
        else { return nil }
        let session = SessionNumber(bytes.uint16(at: ControlLayout.Open.session))
        return isIntact(bytes, session: session) ? session : nil
    }
}
