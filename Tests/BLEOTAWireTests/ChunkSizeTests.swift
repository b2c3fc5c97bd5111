import BLEOTAWire
import Testing

@Suite("Chunk size")
struct ChunkSizeTests {
    @Test("A chunk has 3 to 127 words of 4 bytes")
    func range() {
        for wordCount in UInt8.min...UInt8.max {
            let size = ChunkSize(wordCount: wordCount)
            guard (3...127).contains(wordCount) else {
                #expect(size == nil)
                continue
            }
            #expect(size?.byteCount == 4 * Int(wordCount))
            #expect(size?.frameByteCount == 4 * Int(wordCount) + 4)
        }
        #expect(ChunkSize.smallest.byteCount == 12)
    }

    //= CHUNK-1
    //= CHUNK-2
    @Test("The chunk for every link from 16 to 600 bytes is the largest that section 6.3 allows")
    func fitting() {
        for linkByteCount in 16...600 {
            let frameByteCountMax: Int
            if linkByteCount >= 488 {
                frameByteCountMax = min(linkByteCount, 495)
            } else if linkByteCount >= 244 {
                frameByteCountMax = 244
            } else {
                frameByteCountMax = linkByteCount
            }
            let allowed = stride(from: 12, through: 508, by: 4).filter {
                $0 + DataFrame.overheadByteCount <= frameByteCountMax
            }
            let size = ChunkSize(fittingFrameOf: linkByteCount)
            #expect(size.byteCount == allowed.max())
            #expect(size.frameByteCount <= linkByteCount)
        }
    }

    //= CHUNK-1
    @Test(
        "The usual ATT_MTUs give the usual chunks",
        arguments: [(23, 16), (65, 56), (185, 176), (247, 240), (498, 488), (517, 488)]
    )
    func usual(mtu: Int, chunkByteCount: Int) {
        let linkByteCount = min(mtu - 3, 512)
        #expect(ChunkSize(fittingFrameOf: linkByteCount).byteCount == chunkByteCount)
    }
}
