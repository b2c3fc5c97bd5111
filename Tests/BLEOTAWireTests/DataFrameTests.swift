import BLEOTAWire
import Testing

@Suite("Data frames")
struct DataFrameTests {
    private static let header = PseudoHeader(
        session: Sample.session,
        object: .image,
        epoch: Epoch(3)
    )

    @Test("Chunks of every length from 1 to 508 come back, with and without P")
    func everyLength() {
        var random = SeededGenerator()
        for byteCount in 1...508 {
            let payload = random.bytes(byteCount)
            let index = UInt32.random(in: 0..<357_913_942, using: &random)
            for isPoll in [false, true] {
                let bytes = Wire.dataFrame(
                    chunkIndex: index,
                    isPoll: isPoll,
                    payload: payload,
                    header: Self.header
                )
                #expect(bytes.count == byteCount + 4)
                guard let frame = Wire.data(bytes).success else {
                    Issue.record("a chunk of \(byteCount) bytes is refused")
                    return
                }
                #expect(frame.isPoll == isPoll)
                #expect(frame.token == UInt16(index % 32_768))
                #expect(frame.byteCount == bytes.count)
                #expect(Array(bytes[frame.payloadRange]) == payload)
                let accepted = Wire.acceptedIndex(of: bytes, near: index, header: Self.header)
                #expect(accepted == index)
            }
        }
    }

    @Test("A whole chunk of every size makes a frame of the length the size says")
    func everyChunkSize() {
        for wordCount: UInt8 in 3...127 {
            let size = ChunkSize(wordCount: wordCount)!
            let payload = [UInt8](repeating: 0x5A, count: size.byteCount)
            let bytes = Wire.dataFrame(chunkIndex: 1, payload: payload, header: Self.header)
            #expect(bytes.count == size.frameByteCount)
            #expect(Wire.acceptedIndex(of: bytes, near: 0, header: Self.header) == 1)
        }
    }

    @Test("A payload that already lies in the frame gives the same bytes")
    func payloadInPlace() {
        var random = SeededGenerator()
        for byteCount in [1, 2, 15, 16, 17, 240, 488, 508] {
            let payload = random.bytes(byteCount)
            var buffer = [0, 0] + payload + [0, 0]
            var elements = buffer.mutableSpan
            var output = elements.mutableBytes
            let written = DataFrame.encode(
                chunkIndex: 77_777,
                isPoll: true,
                payloadInPlaceByteCount: byteCount,
                header: Self.header,
                into: &output
            )
            #expect(written == buffer.count)
            #expect(
                buffer
                    == Wire.dataFrame(
                        chunkIndex: 77_777,
                        isPoll: true,
                        payload: payload,
                        header: Self.header
                    )
            )
        }
    }

    @Test("A datagram is a frame from 5 to 512 bytes, and no other")
    func lengths() {
        for byteCount in 0...600 {
            let error = Wire.data([UInt8](repeating: 0xFF, count: byteCount)).failure
            switch byteCount {
            case 0: #expect(error == .empty)
            case 5...512: #expect(error == nil)
            default: #expect(error == .length)
            }
        }
    }

    //= DATA-2
    @Test("A frame of every length with any one bit flipped is refused", arguments: 0..<4)
    func singleFlips(part: Int) {
        var random = SeededGenerator()
        for byteCount in stride(from: part + 1, through: 508, by: 4) {
            let bytes = Wire.dataFrame(
                chunkIndex: 100_000,
                payload: random.bytes(byteCount),
                header: Self.header
            )
            let unseen = Wire.unseenFlips(of: bytes) {
                Wire.acceptedIndex(of: $0, near: 100_003, header: Self.header) != nil
            }
            #expect(unseen == [], "a chunk of \(byteCount) bytes")
        }
    }

    /// A flip in the index also moves the index that the receiver computes the checksum with, by up
    /// to 17 carried bits: the flip counts twice, and not alike.
    //= DATA-2
    @Test("A flip of any bit of the index is refused wherever the index and its carry are")
    func flipsOfTheIndex() {
        for carry in 0..<17 {
            // The second of each pair of cumulative acknowledgements is in the next 32,768 chunks.
            let wrap: UInt32 = 1 << (15 + UInt32(carry))
            for index in [wrap - 1, wrap, wrap + 1, wrap - 16_384, wrap + 16_383, wrap - 8_192] {
                let bytes = Wire.dataFrame(
                    chunkIndex: index,
                    payload: [1, 2, 3],
                    header: Self.header
                )
                for cumulative in [wrap - 16_000, wrap - 1, wrap, wrap + 1, wrap + 16_000] {
                    for bit in 0..<16 {
                        let damaged = Wire.flipping([bit], of: bytes)
                        let accepted = Wire.acceptedIndex(
                            of: damaged,
                            near: cumulative,
                            header: Self.header
                        )
                        #expect(accepted == nil, "bit \(bit) of \(index) near \(cumulative)")
                    }
                }
            }
        }
    }

    @Test("An echo probe with any one bit flipped is refused")
    func echoProbe() {
        let bytes = Wire.dataFrame(chunkIndex: 0x7ABC, payload: [9, 9, 9], header: .echo)
        #expect(isProbe(bytes))
        #expect(Wire.unseenFlips(of: bytes, isAccepted: isProbe) == [])
    }

    private func isProbe(_ bytes: [UInt8]) -> Bool {
        guard let probe = Wire.data(bytes).success else { return false }
        return DataFrame.isIntact(
            bytes.span.bytes,
            chunkIndex: UInt32(probe.token),
            header: .echo
        )
    }
}
