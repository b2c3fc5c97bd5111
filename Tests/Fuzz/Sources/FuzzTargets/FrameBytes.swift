import BLEOTACore
import BLEOTAWire

/// Bytes of datagrams.
enum FrameBytes {
    static func bytes(of frame: SenderControl) -> [UInt8] {
        write(roomFor: 18) { frame.encode(into: &$0) }
    }

    static func bytes(of frame: ReceiverControl, session: SessionNumber) -> [UInt8] {
        write(roomFor: ReceiverControl.byteCountMax) { frame.encode(session: session, into: &$0) }
    }

    static func data(
        chunkIndex: UInt32,
        isPoll: Bool,
        payload: [UInt8],
        header: PseudoHeader
    ) -> [UInt8] {
        write(roomFor: payload.count + DataFrame.overheadByteCount) {
            DataFrame.encode(
                chunkIndex: chunkIndex,
                isPoll: isPoll,
                payload: payload.span.bytes,
                header: header,
                into: &$0
            )
        }
    }

    /// The same, written around a payload that lies in place already.
    static func dataInPlace(
        chunkIndex: UInt32,
        isPoll: Bool,
        payload: [UInt8],
        header: PseudoHeader
    ) -> [UInt8] {
        var buffer = [0, 0] + payload + [0, 0]
        var elements = buffer.mutableSpan
        var room = elements.mutableBytes
        let written = DataFrame.encode(
            chunkIndex: chunkIndex,
            isPoll: isPoll,
            payloadInPlaceByteCount: payload.count,
            header: header,
            into: &room
        )
        return Array(buffer[..<written])
    }

    /// Control bytes with the right checksum after them: for the session that the frame itself
    /// names, for none where it belongs to none, else for `session`.
    static func sealed(_ bytes: [UInt8], session: SessionNumber) -> [UInt8] {
        var checksum = Checksum()
        checksum.update(pseudoSession(of: bytes) ?? session.rawValue)
        checksum.update(bytes.span.bytes)
        return bytes + [UInt8(checksum.value & 0xFF), UInt8(checksum.value >> 8)]
    }

    private static func pseudoSession(of bytes: [UInt8]) -> UInt16? {
        guard let first = bytes.first else { return nil }
        switch ControlOpcode(rawValue: first & 0xF) {
        case .echoReply: return 0
        case .open, .poll, .close, .query, .challenge, .request:
            return bytes.count < 3 ? nil : UInt16(bytes[1]) | UInt16(bytes[2]) << 8
        case .acknowledgement, .busy, .result, .status, .proof, nil: return nil
        }
    }

    private static func write(
        roomFor byteCount: Int,
        _ body: (inout MutableRawSpan) -> Int
    ) -> [UInt8] {
        var buffer = [UInt8](repeating: 0xEE, count: byteCount)
        var elements = buffer.mutableSpan
        var room = elements.mutableBytes
        let written = body(&room)
        return written == byteCount ? buffer : Array(buffer[..<written])
    }
}
