import BLEOTAWire
import Testing

@Suite("Acknowledgement")
struct AcknowledgementTests {
    @Test("A bitmap is fitted to every frame length from 15 to 90, and the frame is still valid")
    func fitting() {
        for bitmap in Sample.bitmaps {
            for byteCountMax in 15...90 {
                var acknowledgement = Sample.acknowledgement(bitmap: bitmap)
                acknowledgement.fit(frameOf: byteCountMax)

                let room = min((byteCountMax - 15) * 8, ReceivedBitmap.bitCount)
                let kept = (0..<room).filter { bitmap[$0] }
                #expect(
                    acknowledgement
                        == Sample.acknowledgement(bitmap: Sample.bitmap(settingBits: kept))
                )
                #expect(acknowledgement.byteCount <= byteCountMax)
                let bytes = Wire.bytes(
                    of: .acknowledgement(acknowledgement),
                    session: Sample.session
                )
                #expect(
                    Wire.fromReceiver(bytes, session: Sample.session)
                        == .success(.acknowledgement(acknowledgement))
                )
            }
        }
    }

    //= ACK-7
    @Test("The cumulative acknowledgement is the smallest congruent number from what is durable")
    func cumulative() {
        for wordCount: UInt8 in [3, 60, 127] {
            let chunkSize = ChunkSize(wordCount: wordCount)!
            for durable: UInt32 in [0, 11, 12, 65_535 * 12, 65_536 * 12, 0x8000_0000, .max] {
                let lowest = durable / UInt32(chunkSize.byteCount)
                for distance: UInt32 in [0, 1, 2, 0x7FFF, 0x8000, 0x8001, 0xFFFE, 0xFFFF] {
                    let acknowledgement = Sample.acknowledgement(
                        truncatedCumulative: UInt16(truncatingIfNeeded: lowest + distance),
                        durableByteCount: durable
                    )
                    let cumulative = acknowledgement.cumulative(chunkSize: chunkSize)
                    #expect(cumulative == lowest + distance)
                }
            }
        }
    }

    //= ACK-7
    @Test("Every 16 bits stand for one of 65,536 chunks from what is durable")
    func everyNumber() {
        let chunkSize = ChunkSize(wordCount: 5)!
        let wrong = (UInt32(70_000)..<70_000 + 65_536).filter { expected in
            let acknowledgement = Sample.acknowledgement(
                truncatedCumulative: UInt16(truncatingIfNeeded: expected),
                durableByteCount: 20 * 70_000 + 19
            )
            return acknowledgement.cumulative(chunkSize: chunkSize) != expected
        }
        #expect(wrong == [])
    }
}
