import BLEOTACore

/// The memory of a receiver: eight blocks of 4 KiB, what follows their chunks, and which blocks of
/// the image are held.
struct Device {
    static let blockByteCount = 4_096
    private static let slotCount = 8

    let memory: ReceiverMemory
    private let held: UnsafeMutableBufferPointer<UInt>

    init(imageByteCount: Int) {
        let receivedBits = UnsafeMutableBufferPointer<UInt>.allocate(
            capacity: ReceiverMemory.receivedWordCount(
                slotCount: Self.slotCount,
                blockByteCount: Self.blockByteCount
            )
        )
        receivedBits.initialize(repeating: 0)
        memory = ReceiverMemory(
            blocks: .allocate(byteCount: Self.slotCount * Self.blockByteCount, alignment: 16),
            receivedBits: receivedBits
        )
        let blockCount = ObjectPlan.blockCount(UInt32(imageByteCount), Self.blockByteCount)
        held = .allocate(capacity: BlockMap.wordCount(forBlockCount: blockCount))
        held.initialize(repeating: 0)
    }

    /// An image of which nothing is held.
    func plan(imageByteCount: UInt32) -> ObjectPlan {
        let blockCount = ObjectPlan.blockCount(imageByteCount, Self.blockByteCount)
        return ObjectPlan(
            object: .image,
            byteCount: imageByteCount,
            blockByteCount: Self.blockByteCount,
            held: BlockMap(blockCount: blockCount, in: held)
        )
    }
}
