import BLEOTAWire

/// Frames to bytes and back, and bytes that are sealed without the module's own checksum.
enum Wire {
    static func bytes(of frame: SenderControl) -> [UInt8] {
        write(roomFor: 18) { frame.encode(into: &$0) }
    }

    static func bytes(of frame: ReceiverControl, session: SessionNumber) -> [UInt8] {
        write(roomFor: ReceiverControl.byteCountMax) { frame.encode(session: session, into: &$0) }
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
        } catch {
            return .failure(error)
        }
    }

    static func data(_ bytes: [UInt8]) -> Result<DataFrame, FrameDecodingError> {
        do { return .success(try DataFrame(decoding: bytes.span.bytes)) } catch {
            return .failure(error)
        }
    }

    static func dataFrame(
        chunkIndex: UInt32,
        isPoll: Bool = false,
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

    /// The index at which a receiver would take the frame, `nil` if it drops it.
    static func acceptedIndex(
        of bytes: [UInt8],
        near cumulative: UInt32,
        header: PseudoHeader
    ) -> UInt32? {
        guard case .success(let frame) = data(bytes),
            let index = frame.chunkIndex(near: cumulative),
            DataFrame.isIntact(bytes.span.bytes, chunkIndex: index, header: header)
        else { return nil }
        return index
    }

    /// The bytes with the checksum of a control frame of `session` after them.
    static func sealed(_ bytes: [UInt8], session: UInt16) -> [UInt8] {
        let value = ReferenceChecksum.value(of: little(session) + bytes)
        return bytes + little(value)
    }

    /// The bytes of a number, lowest first.
    static func little<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
        (0..<Number.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }

    /// The bits that can be flipped without the bytes being refused.
    static func unseenFlips(of bytes: [UInt8], isAccepted: ([UInt8]) -> Bool) -> [Int] {
        var damaged = bytes
        return (0..<bytes.count * 8).filter { bit in
            damaged[bit / 8] ^= 1 << (bit % 8)
            defer { damaged[bit / 8] ^= 1 << (bit % 8) }
            return isAccepted(damaged)
        }
    }

    static func flipping(_ bits: [Int], of bytes: [UInt8]) -> [UInt8] {
        var damaged = bytes
        for bit in bits { damaged[bit / 8] ^= 1 << (bit % 8) }
        return damaged
    }

    private static func write(
        roomFor byteCount: Int,
        _ body: (inout MutableRawSpan) -> Int
    ) -> [UInt8] {
        var buffer = [UInt8](repeating: 0xEE, count: byteCount)
        var elements = buffer.mutableSpan
        var room = elements.mutableBytes
        let written = body(&room)
        return Array(buffer[..<written])
    }
}

extension Result {
    /// The error, `nil` of a success.
    var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }

    /// The value, `nil` of a failure.
    var success: Success? {
        if case .success(let value) = self { value } else { nil }
    }
}
