import BLEOTACore

/// Memory for a receiver and for the plans that its store makes.
final class ReceiverBench {
    let memory: ReceiverMemory
    private var words: [UnsafeMutableBufferPointer<UInt>] = []

    init(slotCount: Int = 4, slotByteCount: Int = 4_096, receivedWordCount: Int? = nil) {
        let blocks = UnsafeMutableRawBufferPointer.allocate(
            byteCount: slotCount * slotByteCount,
            alignment: 8
        )
        let receivedBits = UnsafeMutableBufferPointer<UInt>.allocate(
            capacity: receivedWordCount
                ?? ReceiverMemory.receivedWordCount(
                    slotCount: slotCount,
                    blockByteCount: slotByteCount
                )
        )
        receivedBits.initialize(repeating: 0)
        memory = ReceiverMemory(blocks: blocks, receivedBits: receivedBits)
    }

    deinit {
        memory.blocks.deallocate()
        memory.receivedBits.deallocate()
        for words in words { words.deallocate() }
    }

    func plan(
        _ object: ObjectID,
        byteCount: Int,
        blockByteCount: Int = 4_096,
        held: [Int] = []
    ) -> ObjectPlan {
        let count = ObjectPlan.blockCount(UInt32(byteCount), blockByteCount)
        let words = UnsafeMutableBufferPointer<UInt>.allocate(
            capacity: BlockMap.wordCount(forBlockCount: count)
        )
        words.initialize(repeating: 0)
        self.words.append(words)
        let map = BlockMap(blockCount: count, in: words)
        for block in held { map[block] = true }
        return ObjectPlan(
            object: object,
            byteCount: UInt32(byteCount),
            blockByteCount: blockByteCount,
            held: map
        )
    }
}
