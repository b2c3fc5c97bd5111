import BLEOTATestSupport
import Testing

@testable import BLEOTACore

@Suite("BlockMap")
struct BlockMapTests {
    @Test("Bits and both searches agree with an array of Bool, for every count to 200")
    func againstAnArray() {
        for seed in TestSeed.rounds(200) {
            var random = TestSeed(seed)
            let count = random.below(200) + 1
            let percent = [0, 2, 50, 98, 100][random.below(5)]
            withMap(of: count) { map in
                var model = [Bool](repeating: false, count: count)
                for index in 0..<count {
                    model[index] = random.chance(percent)
                    map[index] = model[index]
                }
                if random.chance(50) {
                    let index = random.below(count)
                    model[index].toggle()
                    map[index] = model[index]
                }
                for index in 0..<count {
                    #expect(map[index] == model[index], "seed \(seed)")
                    let missing = model[index...].firstIndex(of: false) ?? count
                    let foundMissing = map.firstMissing(from: UInt32(index))
                    #expect(foundMissing == missing, "seed \(seed)")
                    let held = model[index...].firstIndex(of: true) ?? count
                    let foundHeld = map.first(from: UInt32(index), isHeld: true)
                    #expect(foundHeld == held, "seed \(seed)")
                }
                #expect(map.firstMissing(from: UInt32(count)) == count)
                #expect(map.first(from: UInt32(count), isHeld: true) == count)
            }
        }
    }

    @Test("64 blocks take a word, 65 take two")
    func wordCount() {
        #expect(BlockMap.wordCount(forBlockCount: 1) == 1)
        #expect(BlockMap.wordCount(forBlockCount: 64) == 1)
        #expect(BlockMap.wordCount(forBlockCount: 65) == 2)
    }

    private func withMap(of count: Int, _ body: (BlockMap) -> Void) {
        let words = UnsafeMutableBufferPointer<UInt>.allocate(
            capacity: BlockMap.wordCount(forBlockCount: count)
        )
        defer { words.deallocate() }
        words.initialize(repeating: .max)
        body(BlockMap(blockCount: count, in: words))
    }
}
