/// The decoding checks for both directions, in the order of the cases of
/// ``FrameDecodingError``.
enum ControlDecoding {
    /// Checks the version, opcode and direction of a receiver's frame, and returns the opcode.
    static func receiverOpcode(of bytes: RawSpan) throws(FrameDecodingError) -> ControlOpcode {
        guard !bytes.isEmpty else { throw .empty }
        let first = bytes.byte(at: ControlLayout.versionAndOpcode)
        let isResult = first & 0xF == ControlOpcode.result.rawValue
        guard first >> 4 == ProtocolVersion.current || isResult else {
            throw .version(opening: nil)
        }
        guard let opcode = ControlOpcode(rawValue: first & 0xF), opcode.isFromReceiver
        else { throw .opcode }
        return opcode
    }

    /// Returns the object in byte `offset`, which must be the manifest or the image.
    static func object(in bytes: RawSpan, at offset: Int) throws(FrameDecodingError) -> ObjectID {
        let object = ObjectID(rawValue: bytes.byte(at: offset))
        guard object.isTransferred else { throw .range }
        return object
    }

    static func isIntact(_ bytes: RawSpan, session: SessionNumber) -> Bool {
        var checksum = Checksum()
        checksum.update(session.rawValue)
        checksum.update(bytes)
        return checksum.isClosed
    }
}
