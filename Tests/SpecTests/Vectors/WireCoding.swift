import BLEOTAWire

/// The wire module on arrays, for vectors.
enum WireCoding {
    static func bytes(of frame: SenderControl) -> [UInt8] {
        write { frame.encode(into: &$0) }
    }

    static func bytes(of frame: ReceiverControl, session: SessionNumber) -> [UInt8] {
        write { frame.encode(session: session, into: &$0) }
    }

    static func dataFrame(
        chunkIndex: UInt32,
        isPoll: Bool,
        payload: ArraySlice<UInt8>,
        header: PseudoHeader
    ) -> [UInt8] {
        write {
            DataFrame.encode(
                chunkIndex: chunkIndex,
                isPoll: isPoll,
                payload: payload.span.bytes,
                header: header,
                into: &$0
            )
        }
    }

    static func fromSender(_ bytes: [UInt8]) -> Result<SenderControl, FrameDecodingError> {
        do { return .success(try SenderControl(decoding: bytes.span.bytes)) } catch {
            return .failure(error)
        }
    }

    static func fromReceiver(
        _ bytes: [UInt8],
        session: SessionNumber
    ) -> Result<ReceiverControl, FrameDecodingError> {
        do {
            return .success(try ReceiverControl(decoding: bytes.span.bytes, session: session))
        } catch { return .failure(error) }
    }

    static func data(_ bytes: [UInt8]) -> DataFrame? {
        try? DataFrame(decoding: bytes.span.bytes)
    }

    static func isIntact(_ bytes: [UInt8], chunkIndex: UInt32, header: PseudoHeader) -> Bool {
        DataFrame.isIntact(bytes.span.bytes, chunkIndex: chunkIndex, header: header)
    }

    private static func write(_ body: (inout MutableRawSpan) -> Int) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 512)
        var elements = buffer.mutableSpan
        var output = elements.mutableBytes
        let written = body(&output)
        return Array(buffer[..<written])
    }
}
