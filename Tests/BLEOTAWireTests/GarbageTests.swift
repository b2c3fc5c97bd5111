import BLEOTAWire
import Testing

/// Whatever a link delivers is read or refused; nothing traps.
@Suite("Garbage")
struct GarbageTests {
    //= FRAME-1
    @Test("100,000 random datagrams of 0 to 600 bytes are read or refused as any kind of frame")
    func randomBytes() {
        var random = SeededGenerator()
        var refusedCount = 0
        for _ in 0..<100_000 {
            let byteCount = Int.random(in: 0...600, using: &random)
            let bytes = cheapBytes(byteCount, using: &random)
            if !isReadAsControl(bytes) { refusedCount += 1 }
            readAsData(bytes, near: UInt32.random(in: 0...UInt32.max, using: &random))
        }
        #expect(refusedCount > 99_000)
    }

    //= FRAME-1
    @Test("100,000 random bodies behind a right byte 0 and checksum are read or refused")
    func randomBodies() {
        var random = SeededGenerator()
        let firsts: [UInt8] = [0x11, 0x12, 0x13, 0x18, 0x19, 0x1A, 0x1B, 0x1C]
        let byteCounts = [18, 7, 7, 13, 15, 8, 13, 7]
        var readCount = 0
        for _ in 0..<100_000 {
            let kind = Int.random(in: 0..<firsts.count, using: &random)
            let more = firsts[kind] == 0x19 ? Int.random(in: 0...64, using: &random) : 0
            var body = [firsts[kind]] + random.bytes(byteCounts[kind] - 3 + more)
            // Half of the bodies get small numbers, so that many fields are in their range.
            if Bool.random(using: &random) {
                for place in body.indices.dropFirst()
                where Int.random(in: 0..<3, using: &random) > 0 {
                    body[place] &= 1
                }
            }
            let session = UInt16(body[1]) | UInt16(body[2]) << 8
            let isFromReceiver = firsts[kind] > 0x18
            if isReadAsControl(Wire.sealed(body, session: isFromReceiver ? 0 : session)) {
                readCount += 1
            }
        }
        #expect(readCount > 10_000)
    }

    private func isReadAsControl(_ bytes: [UInt8]) -> Bool {
        _ = ControlOpcode(peeking: bytes.span.bytes)
        // What is read can be written, and gives the same bytes: one frame, one encoding.
        if case .success(let frame) = Wire.fromSender(bytes) {
            #expect(Wire.bytes(of: frame) == bytes)
            return true
        }
        if case .success(let frame) = Wire.fromReceiver(bytes, session: .none) {
            // A RESULT of another version would be written in this one.
            let isOfThisVersion = bytes[0] >> 4 == ProtocolVersion.current
            #expect(!isOfThisVersion || Wire.bytes(of: frame, session: .none) == bytes)
            return true
        }
        return false
    }

    private func readAsData(_ bytes: [UInt8], near cumulative: UInt32) {
        guard let frame = Wire.data(bytes).success else { return }
        let index = frame.chunkIndex(near: cumulative)
        #expect(bytes.indices.contains(frame.payloadRange.lowerBound))
        #expect(frame.payloadRange.upperBound <= bytes.count - 2)
        if let index {
            let header = PseudoHeader(session: Sample.session, object: .image, epoch: Epoch(0))
            _ = DataFrame.isIntact(bytes.span.bytes, chunkIndex: index, header: header)
        }
    }

    /// Eight bytes a draw: 30 million bytes one by one would take most of the test's time.
    private func cheapBytes(_ byteCount: Int, using random: inout SeededGenerator) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: byteCount + 8) { buffer, count in
            for offset in stride(from: 0, to: byteCount, by: 8) {
                UnsafeMutableRawBufferPointer(buffer).storeBytes(
                    of: random.next(),
                    toByteOffset: offset,
                    as: UInt64.self
                )
            }
            count = byteCount
        }
    }
}
