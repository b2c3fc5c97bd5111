extension ReceiverControl {
    /// The length of the longest frame: an ACK with a bitmap of 64 bytes, or a PROOF with a piece
    /// of 75.
    public static var byteCountMax: Int {
        ControlLayout.Acknowledgement.byteCountMin
            + ControlLayout.Acknowledgement.bitmapByteCountMax
    }

    //= FRAME-2: An end MUST drop a control frame whose checksum is wrong.
    /// Decodes a control frame from a receiver.
    ///
    /// - Parameters:
    ///   - bytes: the whole datagram.
    ///   - session: the current session. Most frames do not contain it, but their checksum depends
    ///     on it. REQUEST carries its own number, STATUS has the number of the QUERY, PROOF has the
    ///     number of the CHALLENGE, and ECHO REPLY belongs to no session.
    /// - Throws: the reason to drop the datagram.
    public init(
        decoding bytes: RawSpan,
        session: SessionNumber
    ) throws(FrameDecodingError) {
        let opcode = try ControlDecoding.receiverOpcode(of: bytes)
        guard Self.byteCounts(of: opcode).contains(bytes.byteCount) else { throw .length }
        let owner =
            switch opcode {
            case .request: SessionNumber(bytes.uint16(at: ControlLayout.Request.session))
            case .echoReply: SessionNumber.none
            default: session
            }
        guard ControlDecoding.isIntact(bytes, session: owner) else { throw .checksum }
        switch opcode {
        case .request: self = .request(Request(reading: bytes, session: owner))
        case .acknowledgement: self = .acknowledgement(try Acknowledgement(reading: bytes))
        case .busy: self = .busy(try Busy(reading: bytes))
        case .result: self = .result(try Result(reading: bytes))
        case .echoReply: self = .echoReply(try EchoReply(reading: bytes))
        case .status: self = .status(try Status(reading: bytes))
        case .proof: self = .proof(Proof(reading: bytes))
        case .open, .poll, .close, .query, .challenge: throw .opcode
        }
    }

    private static func byteCounts(of opcode: ControlOpcode) -> ClosedRange<Int> {
        let byteCount =
            switch opcode {
            case .request: ControlLayout.Request.byteCount
            case .busy: ControlLayout.Busy.byteCount
            case .result: ControlLayout.Result.byteCount
            case .echoReply: ControlLayout.EchoReply.byteCount
            case .status: ControlLayout.Status.byteCount
            case .proof: ControlLayout.Proof.byteCountMin
            default: ControlLayout.Acknowledgement.byteCountMin
            }
        let isVariable = opcode == .acknowledgement || opcode == .proof
        return byteCount...(isVariable ? byteCountMax : byteCount)
    }

    /// Encodes the frame.
    ///
    /// - Parameters:
    ///   - session: the current session, or for STATUS the session of the QUERY, and for PROOF the
    ///     session of the CHALLENGE. REQUEST uses its own number, and ECHO REPLY uses none.
    ///   - output: a buffer with room for ``byteCountMax`` bytes, or for this frame if its
    ///     length is known.
    /// - Returns: the length of the frame in bytes.
    public func encode(session: SessionNumber, into output: inout MutableRawSpan) -> Int {
        switch self {
        case .request(let request): request.encode(into: &output)
        case .acknowledgement(let acknowledgement):
            acknowledgement.encode(session: session, into: &output)
        case .busy(let busy): busy.encode(session: session, into: &output)
        case .result(let result): result.encode(session: session, into: &output)
        case .echoReply(let reply): reply.encode(into: &output)
        case .status(let status): status.encode(session: session, into: &output)
        case .proof(let proof): proof.encode(session: session, into: &output)
        }
    }
}

extension ReceiverControl.Request {
    private typealias Layout = ControlLayout.Request

    fileprivate init(reading bytes: RawSpan, session: SessionNumber) {
        self.init(
            session: session,
            nameTag: TransferTag(rawValue: bytes.uint64(at: Layout.tag))
        )
    }

    package func encode(into output: inout MutableRawSpan) -> Int {
        output.put(session.rawValue, at: Layout.session)
        output.put(nameTag.rawValue, at: Layout.tag)
        return output.seal(.request, byteCount: Layout.byteCount, session: session)
    }
}

extension Acknowledgement {
    private typealias Layout = ControlLayout.Acknowledgement

    fileprivate init(reading bytes: RawSpan) throws(FrameDecodingError) {
        let flags = bytes.byte(at: Layout.flags)
        guard flags & ~Layout.answersPollFlag == 0 else { throw .reserved }
        guard let credit = Credit(rawValue: bytes.uint16(at: Layout.credit)) else { throw .range }
        self.init(
            answersPoll: flags & Layout.answersPollFlag != 0,
            object: try ControlDecoding.object(in: bytes, at: Layout.object),
            epoch: Epoch(bytes.byte(at: Layout.epoch)),
            truncatedCumulative: bytes.uint16(at: Layout.cumulative),
            credit: credit,
            durableByteCount: bytes.uint32(at: Layout.durable),
            delayMilliseconds: bytes.byte(at: Layout.delay),
            bitmap: try ReceivedBitmap(reading: bytes)
        )
    }

    fileprivate func encode(session: SessionNumber, into output: inout MutableRawSpan) -> Int {
        let bitmapByteCount = bitmap.encode(at: Layout.bitmap, into: &output)
        return encode(bitmapInPlaceByteCount: bitmapByteCount, session: session, into: &output)
    }

    /// The offset of the bitmap within the frame.
    package static var bitmapOffset: Int { Layout.bitmap }

    /// Completes a frame whose bitmap is already at ``bitmapOffset`` of `output`. The `bitmap`
    /// property is ignored.
    ///
    /// - Parameter bitmapByteCount: 0 to 64. The last byte of the bitmap must not be zero.
    package func encode(
        bitmapInPlaceByteCount bitmapByteCount: Int,
        session: SessionNumber,
        into output: inout MutableRawSpan
    ) -> Int {
        output.put(answersPoll ? Layout.answersPollFlag : 0, at: Layout.flags)
        output.put(object.rawValue, at: Layout.object)
        output.put(epoch.rawValue, at: Layout.epoch)
        output.put(truncatedCumulative, at: Layout.cumulative)
        output.put(credit.rawValue, at: Layout.credit)
        output.put(durableByteCount, at: Layout.durable)
        output.put(delayMilliseconds, at: Layout.delay)
        let byteCount = Layout.byteCountMin + bitmapByteCount
        return output.seal(.acknowledgement, byteCount: byteCount, session: session)
    }
}

extension ReceivedBitmap {
    fileprivate init(reading bytes: RawSpan) throws(FrameDecodingError) {
        typealias Layout = ControlLayout.Acknowledgement
        self.init()
        let byteCount = bytes.byteCount - Layout.byteCountMin
        for index in 0..<byteCount {
            self[byte: index] = bytes.byte(at: Layout.bitmap + index)
        }
        // Every acknowledgement has exactly one encoding, so a bitmap with trailing zero bytes
        // is invalid.
        guard self.byteCount == byteCount else { throw .range }
    }
}

extension ReceiverControl.Busy {
    private typealias Layout = ControlLayout.Busy

    fileprivate init(reading bytes: RawSpan) throws(FrameDecodingError) {
        guard let phase = BusyPhase(rawValue: bytes.byte(at: Layout.phase)) else { throw .range }
        self.init(
            phase: phase,
            object: try ControlDecoding.object(in: bytes, at: Layout.object),
            epoch: Epoch(bytes.byte(at: Layout.epoch)),
            millisecondsLeft: bytes.uint16(at: Layout.milliseconds)
        )
    }

    package func encode(
        session: SessionNumber,
        into output: inout MutableRawSpan
    ) -> Int {
        output.put(phase.rawValue, at: Layout.phase)
        output.put(object.rawValue, at: Layout.object)
        output.put(epoch.rawValue, at: Layout.epoch)
        output.put(millisecondsLeft, at: Layout.milliseconds)
        return output.seal(.busy, byteCount: Layout.byteCount, session: session)
    }
}

extension ReceiverControl.Result {
    private typealias Layout = ControlLayout.Result

    fileprivate init(reading bytes: RawSpan) throws(FrameDecodingError) {
        let reason = Reason(rawValue: bytes.uint16(at: Layout.reason))
        // Only RESULT *version*, which lists the supported versions, is readable in any
        // version.
        let version = bytes.byte(at: ControlLayout.versionAndOpcode) >> 4
        guard version == ProtocolVersion.current || reason == .version else {
            throw .version(opening: nil)
        }
        self.init(reason: reason, detail: bytes.uint64(at: Layout.detail))
    }

    package func encode(
        session: SessionNumber,
        into output: inout MutableRawSpan
    ) -> Int {
        output.put(reason.rawValue, at: Layout.reason)
        output.put(detail, at: Layout.detail)
        return output.seal(.result, byteCount: Layout.byteCount, session: session)
    }
}

extension ReceiverControl.EchoReply {
    private typealias Layout = ControlLayout.EchoReply

    fileprivate init(reading bytes: RawSpan) throws(FrameDecodingError) {
        let token = bytes.uint16(at: Layout.token)
        let byteCount = bytes.uint16(at: Layout.byteCountOfProbe)
        guard token < 0x8000, (5...512).contains(byteCount) else { throw .range }
        self.init(token: token, byteCount: byteCount)
    }

    package func encode(into output: inout MutableRawSpan) -> Int {
        output.put(token, at: Layout.token)
        output.put(byteCount, at: Layout.byteCountOfProbe)
        return output.seal(.echoReply, byteCount: Layout.byteCount, session: .none)
    }
}

extension ReceiverControl.Status {
    private typealias Layout = ControlLayout.Status

    fileprivate init(reading bytes: RawSpan) throws(FrameDecodingError) {
        guard let state = RunningState(rawValue: bytes.byte(at: Layout.state)) else { throw .range }
        self.init(state: state, runningTag: bytes.uint64(at: Layout.runningTag))
    }

    package func encode(
        session: SessionNumber,
        into output: inout MutableRawSpan
    ) -> Int {
        output.put(state.rawValue, at: Layout.state)
        output.put(runningTag, at: Layout.runningTag)
        return output.seal(.status, byteCount: Layout.byteCount, session: session)
    }
}

extension ReceiverControl.Proof {
    private typealias Layout = ControlLayout.Proof

    fileprivate init(reading bytes: RawSpan) {
        let end = bytes.byteCount - ControlLayout.checksumByteCount
        self.init(
            offset: bytes.byte(at: Layout.receiptOffset),
            piece: ReceiptPiece(bytes.extracting(Layout.piece..<end))
        )
    }

    fileprivate func encode(session: SessionNumber, into output: inout MutableRawSpan) -> Int {
        for index in 0..<piece.byteCount { output.put(piece[index], at: Layout.piece + index) }
        return Self.encode(
            pieceInPlaceByteCount: piece.byteCount,
            offset: offset,
            session: session,
            into: &output
        )
    }

    /// The offset of the piece within the frame.
    package static var pieceOffset: Int { Layout.piece }

    /// The length of a frame without its piece.
    package static var overheadByteCount: Int { Layout.byteCountMin }

    /// Completes a frame whose piece is already at ``pieceOffset`` of `output`.
    ///
    /// - Parameter pieceByteCount: 0 to 75.
    package static func encode(
        pieceInPlaceByteCount pieceByteCount: Int,
        offset: UInt8,
        session: SessionNumber,
        into output: inout MutableRawSpan
    ) -> Int {
        output.put(offset, at: Layout.receiptOffset)
        return output.sealInPlace(
            firstByte: ControlOpcode.proof.firstByte,
            byteCount: Layout.byteCountMin + pieceByteCount,
            session: session
        )
    }
}
