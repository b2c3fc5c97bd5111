import BLEOTAWire
import Testing

@Suite("Acknowledgement")
struct AcknowledgementTests {
    @Test("A bitmap is fitted to every frame length from 15 to 90, and the frame is still valid")
    func fitting() {
        for bitmap in Sample.bitmaps {
            for byteCountMax in 15...90 {
                var account = Sample.account(bitmap: bitmap)
                account.fit(frameOf: byteCountMax)

                let room = min((byteCountMax - 15) * 8, ReceiptBitmap.bitCount)
                let kept = (0..<room).filter { bitmap[$0] }
                #expect(account == Sample.account(bitmap: Sample.bitmap(settingBits: kept)))
                #expect(account.byteCount <= byteCountMax)
                let bytes = Wire.bytes(of: .acknowledgement(account), session: Sample.session)
                #expect(
                    Wire.fromReceiver(bytes, session: Sample.session)
                        == .success(.acknowledgement(account))
                )
            }
        }
    }

    //= ACK-7
    @Test("The first ACK of an epoch: the smallest congruent number not below the durable chunks")
    func openingEpoch() {
        for wordCount: UInt8 in [3, 60, 127] {
            let chunkSize = ChunkSize(wordCount: wordCount)!
            for durable: UInt32 in [0, 11, 12, 65_535 * 12, 65_536 * 12, 0x8000_0000, .max] {
                let lowest = durable / UInt32(chunkSize.byteCount)
                for distance: UInt32 in [0, 1, 2, 0x7FFF, 0x8000, 0x8001, 0xFFFE, 0xFFFF] {
                    let account = Sample.account(
                        truncatedCumulative: UInt16(truncatingIfNeeded: lowest + distance),
                        durableByteCount: durable
                    )
                    let cumulative = account.cumulativeOpeningEpoch(chunkSize: chunkSize)
                    #expect(cumulative == lowest + distance)
                }
            }
        }
    }

    //= ACK-7
    @Test("Every 16 bits in the first ACK of an epoch stand for one of the next 65,536 chunks")
    func openingEpochEveryNumber() {
        let chunkSize = ChunkSize(wordCount: 5)!
        let wrong = (UInt32(70_000)..<70_000 + 65_536).filter { expected in
            let account = Sample.account(
                truncatedCumulative: UInt16(truncatingIfNeeded: expected),
                durableByteCount: 20 * 70_000 + 19
            )
            return account.cumulativeOpeningEpoch(chunkSize: chunkSize) != expected
        }
        #expect(wrong == [])
    }

    //= ACK-7
    @Test(
        "A later ACK: the congruent number nearest to the last one",
        arguments: [0x1_0000, 0x1_7FFF, 0x1_8000, 0x1_8001, 0x1_FFFF, 357_913_942] as [UInt32]
    )
    func nearest(last: UInt32) {
        let distances = Array(-0x8000...0x7FFF)
        let wrong = distances.filter { distance in
            let expected = UInt32(Int64(last) + Int64(distance))
            let account = Sample.account(
                truncatedCumulative: UInt16(truncatingIfNeeded: expected)
            )
            return account.cumulative(near: last) != expected
        }
        #expect(wrong == [])
    }

    @Test("A number that would be negative or past 32 bits is none")
    func impossible() {
        #expect(cumulative(0xFFFF, near: 0) == nil)
        #expect(cumulative(0x8000, near: 0) == nil)
        #expect(cumulative(0x7FFF, near: 0) == 0x7FFF)
        #expect(cumulative(0xFFFE, near: 1) == nil)
        #expect(cumulative(0x0000, near: .max) == nil)
        #expect(cumulative(0xFFFF, near: .max) == .max)
        #expect(cumulative(0x7FFF, near: .max) == 0xFFFF_7FFF)
    }

    private func cumulative(_ truncated: UInt16, near last: UInt32) -> UInt32? {
        Sample.account(truncatedCumulative: truncated).cumulative(near: last)
    }
}
