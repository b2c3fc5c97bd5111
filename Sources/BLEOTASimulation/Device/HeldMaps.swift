import BLEOTACore

/// Creates plans for receiving objects, and keeps the memory of their block maps between guards.
final class HeldMaps {
    /// The memory of the receiver's current block map and of earlier ones.
    private var maps: [GuardedMemory<UInt>] = []

    var areIntact: Bool { maps.allSatisfy(\.isIntact) }

    func plan(
        _ object: ObjectID,
        byteCount: Int,
        blockByteCount: Int,
        isHeld: [Bool]
    ) -> ObjectPlan {
        let memory = GuardedMemory<UInt>(
            count: BlockMap.wordCount(forBlockCount: isHeld.count),
            filledWith: .max
        )
        maps.append(memory)
        let map = BlockMap(blockCount: isHeld.count, in: memory.elements)
        for block in isHeld.indices where isHeld[block] { map[block] = true }
        return ObjectPlan(
            object: object,
            byteCount: UInt32(byteCount),
            blockByteCount: blockByteCount,
            held: map
        )
    }
}
