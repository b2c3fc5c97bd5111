extension SenderControl {
    //= FRAME-1: An end MUST drop a control frame whose version is not 1, except RESULT *version*;
    //= whose length is not the length of its opcode; whose opcode is not listed for its direction;
    //= whose reserved bits are not zero; or whose fields are out of the ranges of section 2.3.
    /// Reads a control frame from a sender. The checksum is that of the session the frame names.
    ///
    /// - Throws: why the datagram has to be dropped.
    public init(decoding bytes: RawSpan) throws(FrameDecodingError) {
        switch try ControlDecoding.opcode(of: bytes, fromReceiver: false) {
        case .open: self = .open(try Open(decoding: bytes))
        case .poll: self = .poll(try Poll(decoding: bytes))
        case .close: self = .close(try Close(decoding: bytes))
        case .query: self = .query(try Query(decoding: bytes))
        case .request, .acknowledgement, .busy, .result, .echoReply, .status: throw .opcode
        }
    }

    /// Writes the frame.
    ///
    /// - Parameter output: room for 18 bytes.
    /// - Returns: the length of the frame.
    public func encode(into output: inout MutableRawSpan) -> Int {
        switch self {
        case .open(let open): open.encode(into: &output)
        case .poll(let poll): poll.encode(into: &output)
        case .close(let close): close.encode(into: &output)
        case .query(let query): query.encode(into: &output)
        }
    }
}

extension SenderControl.Open {
    private typealias Layout = ControlLayout.Open

    fileprivate init(decoding bytes: RawSpan) throws(FrameDecodingError) {
        try ControlDecoding.checkLength(of: bytes, Layout.byteCount)
        let session = SessionNumber(bytes.uint16(at: Layout.session))
        try ControlDecoding.checkChecksum(of: bytes, session: session)
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
        output.put(ControlOpcode.open.firstByte, at: ControlLayout.versionAndOpcode)
        output.put(session.rawValue, at: Layout.session)
        output.put(chunkSize.wordCount, at: Layout.chunkWordCount)
        output.put(manifestByteCount, at: Layout.manifestByteCount)
        output.put(tag.rawValue, at: Layout.tag)
        return output.seal(byteCount: Layout.byteCount, session: session)
    }
}

extension SenderControl.Poll {
    private typealias Layout = ControlLayout.Poll

    fileprivate init(decoding bytes: RawSpan) throws(FrameDecodingError) {
        try ControlDecoding.checkLength(of: bytes, Layout.byteCount)
        let session = SessionNumber(bytes.uint16(at: Layout.session))
        try ControlDecoding.checkChecksum(of: bytes, session: session)
        self.init(
            session: session,
            object: try ControlDecoding.object(in: bytes, at: Layout.object),
            epoch: Epoch(bytes.byte(at: Layout.epoch))
        )
    }

    fileprivate func encode(into output: inout MutableRawSpan) -> Int {
        output.put(ControlOpcode.poll.firstByte, at: ControlLayout.versionAndOpcode)
        output.put(session.rawValue, at: Layout.session)
        output.put(object.rawValue, at: Layout.object)
        output.put(epoch.rawValue, at: Layout.epoch)
        return output.seal(byteCount: Layout.byteCount, session: session)
    }
}

extension SenderControl.Close {
    private typealias Layout = ControlLayout.Close

    fileprivate init(decoding bytes: RawSpan) throws(FrameDecodingError) {
        try ControlDecoding.checkLength(of: bytes, Layout.byteCount)
        let session = SessionNumber(bytes.uint16(at: Layout.session))
        try ControlDecoding.checkChecksum(of: bytes, session: session)
        self.init(
            session: session,
            reason: Reason(rawValue: bytes.uint16(at: Layout.reason))
        )
    }

    fileprivate func encode(into output: inout MutableRawSpan) -> Int {
        output.put(ControlOpcode.close.firstByte, at: ControlLayout.versionAndOpcode)
        output.put(session.rawValue, at: Layout.session)
        output.put(reason.rawValue, at: Layout.reason)
        return output.seal(byteCount: Layout.byteCount, session: session)
    }
}

extension SenderControl.Query {
    private typealias Layout = ControlLayout.Query

    fileprivate init(decoding bytes: RawSpan) throws(FrameDecodingError) {
        try ControlDecoding.checkLength(of: bytes, Layout.byteCount)
        let session = SessionNumber(bytes.uint16(at: Layout.session))
        try ControlDecoding.checkChecksum(of: bytes, session: session)
        self.init(session: session)
    }

    fileprivate func encode(into output: inout MutableRawSpan) -> Int {
        output.put(ControlOpcode.query.firstByte, at: ControlLayout.versionAndOpcode)
        output.put(session.rawValue, at: Layout.session)
        return output.seal(byteCount: Layout.byteCount, session: session)
    }
}

extension MutableRawSpan {
    /// Puts the checksum of a control frame at its end and returns the frame's length.
    @inline(never)
    mutating func seal(byteCount: Int, session: SessionNumber) -> Int {
        let end = byteCount - ControlLayout.checksumByteCount
        var checksum = Checksum()
        checksum.update(session.rawValue)
        checksum.update(bytes.extracting(0..<end))
        put(checksum.value, at: end)
        return byteCount
    }
}
