extension SenderControl {
    private typealias Layout = ControlLayout.Query

    //= FRAME-1: An end MUST drop a control frame in each of these cases: the version is not 1; the
    //= opcode is not listed for the end that sent the frame; the length is not valid for the
    //= opcode; a reserved bit is set; a field is outside its range in section 2.3.
    /// Decodes a control frame from a sender. The checksum must be that of the session in the
    /// frame.
    ///
    /// - Throws: the reason to drop the datagram.
    public init(decoding bytes: RawSpan) throws(FrameDecodingError) {
        if ControlOpcode(peeking: bytes) == .challenge {
            self = .challenge(try Challenge(decoding: bytes))
        } else {
            try self.init(decodingExceptChallenge: bytes)
        }
    }

    /// The same, except that the opcode of CHALLENGE is not valid. A device that signs no receipts
    /// needs no code for CHALLENGE; a device that signs them decodes ``Challenge``.
    package init(decodingExceptChallenge bytes: RawSpan) throws(FrameDecodingError) {
        guard !bytes.isEmpty else { throw .empty }
        let first = bytes.byte(at: ControlLayout.versionAndOpcode)
        let opcode = first & 0xF
        // Frames of all kinds and versions have the session at this offset, and none is
        // shorter than QUERY.
        let isLong = bytes.byteCount >= Layout.byteCount
        let session = SessionNumber(isLong ? bytes.uint16(at: Layout.session) : 0)
        let isIntact = isLong && ControlDecoding.isIntact(bytes, session: session)
        guard first >> 4 == ProtocolVersion.current else {
            if isIntact, opcode == ControlOpcode.open.rawValue {
                throw .version(opening: session)
            }
            throw .version(opening: nil)
        }
        let byteCount: UInt8 =
            switch opcode {
            case ControlOpcode.open.rawValue: UInt8(ControlLayout.Open.byteCount)
            case ControlOpcode.poll.rawValue: UInt8(ControlLayout.Poll.byteCount)
            case ControlOpcode.close.rawValue: UInt8(ControlLayout.Close.byteCount)
            case ControlOpcode.query.rawValue: UInt8(ControlLayout.Query.byteCount)
            default: throw .opcode
            }
        guard bytes.byteCount == Int(byteCount) else { throw .length }
        guard isIntact else { throw .checksum }
        switch opcode {
        case ControlOpcode.open.rawValue: self = .open(try Open(decoding: bytes, session: session))
        case ControlOpcode.poll.rawValue: self = .poll(try Poll(decoding: bytes, session: session))
        case ControlOpcode.close.rawValue: self = .close(Close(decoding: bytes, session: session))
        default: self = .query(Query(session: session))
        }
    }

    /// Encodes the frame.
    ///
    /// - Parameter output: a buffer with room for 18 bytes.
    /// - Returns: the length of the frame in bytes.
    public func encode(into output: inout MutableRawSpan) -> Int {
        switch self {
        case .open(let open): open.encode(into: &output)
        case .poll(let poll): poll.encode(into: &output)
        case .close(let close): close.encode(into: &output)
        case .query(let query): query.encode(into: &output)
        case .challenge(let challenge): challenge.encode(into: &output)
        }
    }
}

extension SenderControl.Open {
    private typealias Layout = ControlLayout.Open

    fileprivate init(
        decoding bytes: RawSpan,
        session: SessionNumber
    ) throws(FrameDecodingError) {
        let manifestByteCount = bytes.uint32(at: Layout.manifestByteCount)
        guard let chunkSize = ChunkSize(wordCount: bytes.byte(at: Layout.chunkWordCount)),
            Self.manifestByteCounts.contains(manifestByteCount)
        else { throw .range }
        self.init(
            session: session,
            chunkSize: chunkSize,
            manifestByteCount: manifestByteCount,
            tag: TransferTag(rawValue: bytes.uint64(at: Layout.tag))
        )
    }

    fileprivate func encode(into output: inout MutableRawSpan) -> Int {
        output.put(session.rawValue, at: Layout.session)
        output.put(chunkSize.wordCount, at: Layout.chunkWordCount)
        output.put(manifestByteCount, at: Layout.manifestByteCount)
        output.put(tag.rawValue, at: Layout.tag)
        return output.seal(.open, byteCount: Layout.byteCount, session: session)
    }
}

extension SenderControl.Poll {
    private typealias Layout = ControlLayout.Poll

    fileprivate init(
        decoding bytes: RawSpan,
        session: SessionNumber
    ) throws(FrameDecodingError) {
        self.init(
            session: session,
            object: try ControlDecoding.object(in: bytes, at: Layout.object),
            epoch: Epoch(bytes.byte(at: Layout.epoch))
        )
    }

    fileprivate func encode(into output: inout MutableRawSpan) -> Int {
        output.put(session.rawValue, at: Layout.session)
        output.put(object.rawValue, at: Layout.object)
        output.put(epoch.rawValue, at: Layout.epoch)
        return output.seal(.poll, byteCount: Layout.byteCount, session: session)
    }
}

extension SenderControl.Close {
    private typealias Layout = ControlLayout.Close

    fileprivate init(decoding bytes: RawSpan, session: SessionNumber) {
        self.init(
            session: session,
            reason: Reason(rawValue: bytes.uint16(at: Layout.reason))
        )
    }

    fileprivate func encode(into output: inout MutableRawSpan) -> Int {
        output.put(session.rawValue, at: Layout.session)
        output.put(reason.rawValue, at: Layout.reason)
        return output.seal(.close, byteCount: Layout.byteCount, session: session)
    }
}

extension SenderControl.Query {
    private typealias Layout = ControlLayout.Query

    fileprivate func encode(into output: inout MutableRawSpan) -> Int {
        output.put(session.rawValue, at: Layout.session)
        return output.seal(.query, byteCount: Layout.byteCount, session: session)
    }
}

extension SenderControl.Challenge {
    private typealias Layout = ControlLayout.Challenge

    /// Decodes a CHALLENGE.
    ///
    /// - Throws: the reason to drop the datagram. For another frame, the reason is its opcode.
    package init(decoding bytes: RawSpan) throws(FrameDecodingError) {
        guard ControlOpcode(peeking: bytes) == .challenge else { throw .opcode }
        guard bytes.byteCount == Layout.byteCount else { throw .length }
        let session = SessionNumber(bytes.uint16(at: Layout.session))
        guard ControlDecoding.isIntact(bytes, session: session) else { throw .checksum }
        self.init(
            session: session,
            offset: bytes.byte(at: Layout.receiptOffset),
            nonce: ChallengeNonce(
                low: bytes.uint64(at: Layout.nonceLow),
                high: bytes.uint32(at: Layout.nonceHigh)
            )
        )
    }

    fileprivate func encode(into output: inout MutableRawSpan) -> Int {
        output.put(session.rawValue, at: Layout.session)
        output.put(offset, at: Layout.receiptOffset)
        output.put(nonce.low, at: Layout.nonceLow)
        output.put(nonce.high, at: Layout.nonceHigh)
        return output.seal(.challenge, byteCount: Layout.byteCount, session: session)
    }
}

extension MutableRawSpan {
    /// Stores byte 0 of the frame and the checksum at its end, and returns its length in bytes.
    mutating func seal(_ opcode: ControlOpcode, byteCount: Int, session: SessionNumber) -> Int {
        seal(firstByte: opcode.firstByte, byteCount: byteCount, session: session)
    }

    /// Takes the first byte instead of the opcode: callers pass a constant opcode, and mapping a
    /// variable opcode to its byte would need a table.
    @inline(never)
    private mutating func seal(firstByte: UInt8, byteCount: Int, session: SessionNumber) -> Int {
        sealInPlace(firstByte: firstByte, byteCount: byteCount, session: session)
    }

    /// The same as `seal`, as separate code. On a device, all callers of `seal` have the same
    /// buffer, so the compiler knows the room in that buffer.
    @inline(__always)
    mutating func sealInPlace(firstByte: UInt8, byteCount: Int, session: SessionNumber) -> Int {
        put(firstByte, at: ControlLayout.versionAndOpcode)
        let end = byteCount - ControlLayout.checksumByteCount
        var checksum = Checksum()
        checksum.update(session.rawValue)
        checksum.update(bytes.extracting(first: end))
        put(checksum.value, at: end)
        return byteCount
    }
}
