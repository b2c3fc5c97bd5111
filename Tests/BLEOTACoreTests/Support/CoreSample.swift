import BLEOTACore

/// Values that many tests use.
enum CoreSample {
    static let session = SessionNumber(0x1234)
    static let tag = TransferTag(rawValue: 0x0123_4567_89AB_CDEF)
    static let digestPrefix: UInt64 = 0xFEED_BEEF
    /// 240 bytes, a frame of 244.
    static let chunkSize = ChunkSize(wordCount: 60)!

    static func transfer(manifest: UInt32 = 500, image: UInt32 = 100_000) -> TransferDescription {
        TransferDescription(
            tag: tag,
            manifestByteCount: manifest,
            imageByteCount: image,
            digestPrefix: digestPrefix
        )
    }

    static func bitmap(_ indices: [Int]) -> ReceivedBitmap {
        var bitmap = ReceivedBitmap()
        for index in indices { bitmap[index] = true }
        return bitmap
    }

    static func acknowledgement(
        _ cumulative: UInt32,
        object: ObjectID = .image,
        epoch: UInt8 = 1,
        credit: Credit = .chunks(100),
        durable: UInt32 = 0,
        delay: UInt8 = 0,
        shown: [Int] = [],
        answersPoll: Bool = false
    ) -> Acknowledgement {
        Acknowledgement(
            answersPoll: answersPoll,
            object: object,
            epoch: Epoch(epoch),
            truncatedCumulative: UInt16(truncatingIfNeeded: cumulative),
            credit: credit,
            durableByteCount: durable,
            delayMilliseconds: delay,
            bitmap: bitmap(shown)
        )
    }

    static func control(_ frame: SenderControl) -> [UInt8] {
        written { frame.encode(into: &$0) }
    }

    static func control(_ frame: ReceiverControl, session: SessionNumber) -> [UInt8] {
        written { frame.encode(session: session, into: &$0) }
    }

    static func data(
        _ index: UInt32,
        of object: [UInt8],
        chunkSize: ChunkSize = CoreSample.chunkSize,
        isPoll: Bool = false,
        header: PseudoHeader
    ) -> [UInt8] {
        let range = Packetizer(objectByteCount: UInt32(object.count), chunkSize: chunkSize)
            .byteRange(ofChunk: index)
        return data(index, payload: Array(object[range]), isPoll: isPoll, header: header)
    }

    static func data(
        _ index: UInt32,
        payload: [UInt8],
        isPoll: Bool = false,
        header: PseudoHeader
    ) -> [UInt8] {
        written {
            DataFrame.encode(
                chunkIndex: index,
                isPoll: isPoll,
                payload: payload.span.bytes,
                header: header,
                into: &$0
            )
        }
    }

    private static func written(_ body: (inout MutableRawSpan) -> Int) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 512)
        var elements = buffer.mutableSpan
        var room = elements.mutableBytes
        let count = body(&room)
        return Array(buffer[..<count])
    }
}

extension Instant {
    static func milliseconds(_ count: Int) -> Instant {
        Instant(microseconds: Int64(count) * 1_000)
    }
}
