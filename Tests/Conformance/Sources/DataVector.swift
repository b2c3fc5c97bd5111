import BLEOTACore

/// Data frames and echo probes, as a receiver reads them with the wire module's answers alone.
enum DataVector {
    private struct Context {
        let header: PseudoHeader
        let objectByteCount: UInt32
        let chunkByteCount: UInt32
        let cumulative: UInt32
        /// `nil` for unlimited credit.
        let edge: UInt32?

        init(_ input: inout VectorInput) {
            header = PseudoHeader(
                session: SessionNumber(input.uint16()),
                object: ObjectID(rawValue: input.uint8()),
                epoch: Epoch(input.uint8())
            )
            objectByteCount = input.uint32()
            chunkByteCount = UInt32(input.uint16())
            cumulative = input.uint32()
            let hasEdge = input.bool()
            let edge = input.uint32()
            self.edge = hasEdge ? edge : nil
        }

        /// How many bytes the chunk has; `nil` past the last.
        func byteCount(ofChunk index: UInt32) -> Int? {
            let start = UInt64(index) * UInt64(chunkByteCount)
            guard start < UInt64(objectByteCount) else { return nil }
            return Int(min(UInt64(chunkByteCount), UInt64(objectByteCount) - start))
        }
    }

    private enum Verdict {
        case chunk(UInt32, PseudoHeader)
        case refused(StaticString)
    }

    static func read(_ input: inout VectorInput, _ reading: inout Reading) {
        let context = input.bool() ? Context(&input) : nil
        let bytes = input.remainder()
        guard let frame = try? DataFrame(decoding: bytes.bytes) else {
            return refuse("length", &reading)
        }
        switch context.map({ judge(frame, bytes.bytes, $0) }) ?? .refused("checksum") {
        case .chunk(let index, let header): sayChunk(frame, index, header, bytes, &reading)
        case .refused(let reason):
            let isProbe =
                !frame.isPoll
                && DataFrame.isIntact(
                    bytes.bytes,
                    chunkIndex: UInt32(frame.token),
                    header: .echo
                )
            if isProbe { sayProbe(frame, bytes, &reading) } else { refuse(reason, &reading) }
        }
    }

    private static func judge(
        _ frame: DataFrame,
        _ bytes: RawSpan,
        _ context: Context
    ) -> Verdict {
        guard let index = frame.chunkIndex(near: context.cumulative) else {
            return .refused("index")
        }
        guard DataFrame.isIntact(bytes, chunkIndex: index, header: context.header) else {
            return .refused("checksum")
        }
        if let edge = context.edge, index >= edge { return .refused("edge") }
        guard frame.payloadRange.count == context.byteCount(ofChunk: index) else {
            return .refused("payload")
        }
        return .chunk(index, context.header)
    }

    private static func sayChunk(
        _ frame: DataFrame,
        _ index: UInt32,
        _ header: PseudoHeader,
        _ bytes: UnsafeRawBufferPointer,
        _ reading: inout Reading
    ) {
        let payload = UnsafeRawBufferPointer(rebasing: bytes[frame.payloadRange])
        reading.say("chunk")
        reading.field("poll", frame.isPoll ? 1 : 0)
        reading.field("index", index)
        reading.field("payload", payload.bytes)
        sayWritten(index, isPoll: frame.isPoll, payload, header, &reading)
    }

    private static func sayProbe(
        _ frame: DataFrame,
        _ bytes: UnsafeRawBufferPointer,
        _ reading: inout Reading
    ) {
        reading.say("probe")
        reading.field("token", frame.token)
        reading.field("byteCount", frame.byteCount)
        let payload = UnsafeRawBufferPointer(rebasing: bytes[frame.payloadRange])
        sayWritten(UInt32(frame.token), isPoll: false, payload, .echo, &reading)
        let reply = ReceiverControl.echoReply(
            .init(token: frame.token, byteCount: UInt16(frame.byteCount))
        )
        FrameBuffer.say(&reading, "reply") {
            reply.encode(session: SessionNumber(0x7777), into: &$0)
        }
    }

    private static func sayWritten(
        _ index: UInt32,
        isPoll: Bool,
        _ payload: UnsafeRawBufferPointer,
        _ header: PseudoHeader,
        _ reading: inout Reading
    ) {
        FrameBuffer.say(&reading, "written") { output in
            DataFrame.encode(
                chunkIndex: index,
                isPoll: isPoll,
                payload: payload.bytes,
                header: header,
                into: &output
            )
        }
    }

    private static func refuse(_ reason: StaticString, _ reading: inout Reading) {
        reading.say("refused")
        reading.field("reason", reason)
    }
}
