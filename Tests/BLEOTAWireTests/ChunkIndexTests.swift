import BLEOTAWire
import Testing

@Suite("Chunk index")
struct ChunkIndexTests {
    private static let wraps: [UInt32] = [
        16_384, 32_767, 32_768, 32_769, 49_152, 65_535, 65_536, 65_537, 0x7FFF_FFFF, 0x8000_0000,
        357_913_941,
    ]

    //= DATA-1
    @Test(
        "Every one of the 32,768 indices around a cumulative acknowledgement is found",
        arguments: wraps
    )
    func nearest(cumulative: UInt32) {
        let wrong = (Int64(-16_384)...16_383).filter { distance in
            let index = Int64(cumulative) + distance
            let found = frame(UInt16(truncatingIfNeeded: index)).chunkIndex(near: cumulative)
            return found != UInt32(index)
        }
        #expect(wrong == [])
    }

    //= DATA-1
    @Test(
        "Near zero an index that would be negative is none",
        arguments: [0, 1, 100, 16_383] as [UInt32]
    )
    func nearZero(cumulative: UInt32) {
        for token in UInt16(0)..<0x8000 {
            let ahead = Int64(token)
            let behind = ahead - 32_768
            let isAhead = ahead - Int64(cumulative) < 16_384
            let expected = isAhead ? UInt32(ahead) : UInt32(exactly: behind)
            guard frame(token).chunkIndex(near: cumulative) == expected else {
                Issue.record("\(token) near \(cumulative)")
                return
            }
        }
        #expect(frame(0x7FFF).chunkIndex(near: 0) == nil)
    }

    @Test("Near 2^32 an index that would not fit is none")
    func nearTheEnd() {
        let last = UInt32.max
        for token in UInt16(0)..<0x8000 {
            // The last index has all 15 bits set, so the next turn begins right after it.
            let index = Int64(last) - 32_767 + Int64(token)
            let expected = Int64(last) - index <= 16_384 ? UInt32(index) : nil
            guard frame(token).chunkIndex(near: last) == expected else {
                Issue.record("\(token) near \(last)")
                return
            }
        }
    }

    @Test("P is no part of the index")
    func pollFlag() {
        for cumulative in Self.wraps {
            let plain = frame(0x1234)
            let poll = frame(0x1234 | 0x8000)
            #expect(!plain.isPoll && poll.isPoll)
            #expect(plain.chunkIndex(near: cumulative) == poll.chunkIndex(near: cumulative))
        }
    }

    /// A frame whose first two bytes hold the number.
    private func frame(_ pollAndIndex: UInt16) -> DataFrame {
        Wire.data(Wire.little(pollAndIndex) + [0, 0, 0]).success!
    }
}
