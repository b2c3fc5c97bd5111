import BLEOTACore

/// The memory of a ``DeviceReceiver`` besides itself, cut from one piece that the caller owns.
///
/// The arithmetic, for blocks of b bytes and a slot of s bytes: two blocks, and 1,024 bytes at
/// least, in which four of the smallest find room and with them the longest chunk; a bit for each 8
/// bytes of the two, which is one for each chunk of 12 bytes and makes a power of two of words; and
/// a bit for each block of the slot, rounded up to words.
public struct DeviceMemory {
    let receiver: ReceiverMemory
    let heldWords: UnsafeMutableBufferPointer<UInt>
    /// The length of the longest blocks that are taken.
    let blockByteCount: Int

    /// How much it needs at least.
    ///
    /// - Parameters:
    ///   - blockByteCount: the length of the longest blocks that are taken, a power of two, 256
    ///     to 65,536.
    ///   - slotByteCount: the room for an image, less than 512 MiB.
    public static func byteCount(blockByteCount: Int, slotByteCount: Int) -> Int {
        checkedPlan(blockByteCount, slotByteCount).byteCount
    }

    /// Cuts memory.
    ///
    /// - Parameter memory: at a multiple of 8, ``byteCount(blockByteCount:slotByteCount:)`` or
    ///   more, and nobody else's as long as the receiver lives.
    public init(
        _ memory: UnsafeMutableRawBufferPointer,
        blockByteCount: Int,
        slotByteCount: Int
    ) {
        let plan = Self.checkedPlan(blockByteCount, slotByteCount)
        precondition(memory.count >= plan.byteCount)
        self.init(memory, by: plan)
    }

    private static func checkedPlan(_ blockByteCount: Int, _ slotByteCount: Int) -> Plan {
        let plan = Plan(blockByteCount: blockByteCount, slotByteCount: slotByteCount)
        precondition(plan.isValid)
        return plan
    }

    /// Cuts memory, of which somebody saw that there is enough for a valid plan.
    package init(_ memory: UnsafeMutableRawBufferPointer, by plan: Plan) {
        // SAFETY: the plan's byte count is the sum of what is taken here, and of two blocks.
        var start = memory.baseAddress.unsafelyUnwrapped
        let receivedBits = start.allocate(UInt.self, plan.receivedWordCount).baseAddress
            .unsafelyUnwrapped
        heldWords = start.allocate(UInt.self, plan.heldWordCount)
        blockByteCount = plan.blockByteCount
        receiver = ReceiverMemory(
            ring: start,
            byteCount: UInt32(clamping: memory.count &- plan.overheadByteCount),
            receivedBits: receivedBits,
            wordCount: plan.receivedWordCount
        )
    }

    /// How much of each kind there is. It can be made of any numbers, but of one that is not valid
    /// nothing else may be asked.
    package struct Plan {
        /// The length of the longest blocks that are taken.
        let blockByteCount: Int
        private let blocksByteCount: Int
        let receivedWordCount: Int
        let heldWordCount: Int

        /// - Parameter blockByteCount: not 0.
        package init(blockByteCount: Int, slotByteCount: Int) {
            self.blockByteCount = blockByteCount
            blocksByteCount = max(2 &* blockByteCount, 1_024)
            // A bit for 8 bytes: `ReceiverMemory.receiptWordCount` of a power of two.
            receivedWordCount = blocksByteCount / (8 &* UInt.bitWidth)
            // For one block more than there are whole ones.
            let wholeCount =
                UInt32(truncatingIfNeeded: slotByteCount)
                / UInt32(truncatingIfNeeded: blockByteCount)
            heldWordCount = Int(truncatingIfNeeded: wholeCount / UInt32(UInt.bitWidth) &+ 1)
        }

        /// Whether blocks may be as long as that.
        package var isValid: Bool {
            256...65_536 ~= blockByteCount && blockByteCount & (blockByteCount &- 1) == 0
        }

        /// What is needed besides the blocks. Cannot overflow: the maps have less than a bit for
        /// each byte of a slot.
        var overheadByteCount: Int {
            MemoryLayout<UInt>.size &* (receivedWordCount &+ heldWordCount)
        }

        package var byteCount: Int { overheadByteCount &+ blocksByteCount }
    }
}

extension UnsafeMutableRawPointer {
    /// Takes memory for some values from the front.
    fileprivate mutating func allocate<Value: BitwiseCopyable>(
        _: Value.Type,
        _ count: Int
    ) -> UnsafeMutableBufferPointer<Value> {
        let taken = UnsafeMutableBufferPointer(
            start: bindMemory(to: Value.self, capacity: count),
            count: count
        )
        self += count &* MemoryLayout<Value>.stride
        return taken
    }
}
