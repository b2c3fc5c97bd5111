import BLEOTADevice

/// Computations on numbers of the protocol.
enum ArithmeticVector {
    static func chunkSize(_ input: inout VectorInput, _ reading: inout Reading) {
        let linkByteCount = Int(input.uint16())
        // Nothing to compute: the initializer demands a link that carries a chunk.
        guard linkByteCount >= ChunkSize.smallest.frameByteCount else {
            return refuse("range", &reading)
        }
        let size = ChunkSize(fittingFrameOf: linkByteCount)
        reading.say("chunkSize")
        reading.field("chunkSize", size.byteCount)
        reading.field("frameByteCount", size.frameByteCount)
    }

    static func chunkIndex(_ input: inout VectorInput, _ reading: inout Reading) {
        let cumulative = input.uint32()
        var bytes = InlineArray<5, UInt8>(repeating: 0)
        bytes[0] = input.uint8()
        bytes[1] = input.uint8()
        guard let frame = try? DataFrame(decoding: bytes.span.bytes),
            let index = frame.chunkIndex(near: cumulative)
        else { return refuse("index", &reading) }
        reading.say("chunkIndex")
        reading.field("index", index)
    }

    static func account(_ input: inout VectorInput, _ reading: inout Reading) {
        let objectByteCount = input.uint32()
        guard let chunkSize = ChunkSize(wordCount: input.uint8()) else {
            preconditionFailure("no chunk has that size")
        }
        let truncatedCumulative = input.uint16()
        guard let credit = Credit(rawValue: input.uint16()) else {
            preconditionFailure("no ACK grants that")
        }
        let account = Acknowledgement(
            answersPoll: false,
            object: .image,
            epoch: Epoch(0),
            truncatedCumulative: truncatedCumulative,
            credit: credit,
            durableByteCount: input.uint32(),
            bitmap: ReceivedBitmap(input.remainder())
        )
        let cumulative = account.cumulative(chunkSize: chunkSize)
        guard isPossible(account, cumulative, chunkSize, objectByteCount) else {
            return refuse("account", &reading)
        }
        say(account, cumulative, &reading)
    }

    private static func say(
        _ account: Acknowledgement,
        _ cumulative: UInt32,
        _ reading: inout Reading
    ) {
        reading.say("account")
        reading.field("cumulative", cumulative)
        if case .chunks(let count) = account.credit {
            reading.field("edge", UInt64(cumulative) + UInt64(count))
        }
        for index in 0..<ReceivedBitmap.bitCount where account.bitmap[index] {
            reading.field("arrived", UInt64(cumulative) + 1 + UInt64(index))
        }
    }

    /// What [ACK-11] asks of an account, said again here: the wire module leaves it to the sender.
    private static func isPossible(
        _ account: Acknowledgement,
        _ cumulative: UInt32,
        _ chunkSize: ChunkSize,
        _ objectByteCount: UInt32
    ) -> Bool {
        let packetizer = Packetizer(objectByteCount: objectByteCount, chunkSize: chunkSize)
        let shownEnd = account.bitmap.endIndex
        return cumulative <= packetizer.chunkCount && account.durableByteCount <= objectByteCount
            && (shownEnd == 0
                || UInt64(cumulative) + 1 + UInt64(shownEnd) <= UInt64(packetizer.chunkCount))
    }

    static func epochOrder(_ input: inout VectorInput, _ reading: inout Reading) {
        let present = Epoch(input.uint8())
        let received = Epoch(input.uint8())
        reading.say("epochOrder")
        reading.field(
            "order",
            received == present ? "same" : received.isNewer(than: present) ? "newer" : "older"
        )
    }

    static func direction(_ input: inout VectorInput, _ reading: inout Reading) {
        let opcode = ControlOpcode(rawValue: input.uint8())
        let isFromReceiver = input.bool()
        guard opcode?.isFromReceiver == isFromReceiver else { return refuse("opcode", &reading) }
        reading.say("allowed")
    }

    static func nameTag(_ input: inout VectorInput, _ reading: inout Reading) {
        let digest = SHA256.hash(input.remainder().bytes)
        reading.say("nameTag")
        reading.field("nameTag", digest.span.bytes.extracting(first: 8))
    }

    private static func refuse(_ reason: StaticString, _ reading: inout Reading) {
        reading.say("refused")
        reading.field("reason", reason)
    }
}
