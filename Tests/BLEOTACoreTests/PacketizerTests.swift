import BLEOTACore
import Testing

@testable import BLEOTACore

@Suite("Packetizer")
struct PacketizerTests {
    @Test("Chunks lie end to end, all but the last are whole, and the last ends the object")
    func chunksCoverTheObject() {
        for wordCount: UInt8 in [3, 4, 60, 127] {
            let chunkSize = ChunkSize(wordCount: wordCount)!
            for byteCount in 1...(3 * chunkSize.byteCount + 1) {
                let packetizer = Packetizer(
                    objectByteCount: UInt32(byteCount),
                    chunkSize: chunkSize
                )
                var end = 0
                for index in 0..<packetizer.chunkCount {
                    let range = packetizer.byteRange(ofChunk: index)
                    #expect(range.lowerBound == end)
                    if index + 1 < packetizer.chunkCount {
                        #expect(range.count == chunkSize.byteCount)
                    }
                    #expect(!range.isEmpty && range.count <= chunkSize.byteCount)
                    end = range.upperBound
                }
                #expect(end == byteCount)
            }
        }
    }

    @Test("The largest object has 357,913,942 smallest chunks, the last of 3 bytes")
    func largestObject() {
        let packetizer = Packetizer(objectByteCount: .max, chunkSize: .smallest)
        #expect(packetizer.chunkCount == 357_913_942)
        #expect(packetizer.byteRange(ofChunk: 357_913_941) == 4_294_967_292..<4_294_967_295)
    }
}
