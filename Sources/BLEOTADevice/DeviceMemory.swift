import BLEOTACore

/// The memory that a ``DeviceReceiver`` needs in addition to its own structure: one buffer that
/// the caller owns, divided into parts.
///
/// The buffer consists of:
///
/// - two blocks of the longest accepted length, but at least 1,024 bytes, which are enough for the
///   longest chunk even if blocks have only 256 bytes,
/// - one bit for each 8 bytes of these blocks, which is enough for chunks of 12 bytes and makes
///   the number of words a power of two, and
/// - one bit for each block of the slot, rounded up to words.
public struct DeviceMemory {
    let receiver: ReceiverMemory
    let heldWords: UnsafeMutableBufferPointer<UInt>
    /// The length of the longest accepted blocks.
    let blockByteCount: Int

    /// Returns the minimum size of the memory in bytes.
    ///
    /// - Parameters:
    ///   - blockByteCount: the length of the longest accepted blocks, a power of two from 256
    ///     to 65,536.
    ///   - slotByteCount: the size of the slot for an image, less than 512 MiB.
    public static func byteCount(blockByteCount: Int, slotByteCount: Int) -> Int {
        checkedPlan(blockByteCount, slotByteCount).byteCount
    }

    /// Divides a buffer into the parts that a receiver needs.
    ///
    /// - Parameters:
    ///   - memory: at least ``byteCount(blockByteCount:slotByteCount:)`` bytes, aligned to 8 bytes.
    ///     Nothing else may use them during the lifetime of the receiver.
    ///   - blockByteCount: the length of the longest accepted blocks.
    ///   - slotByteCount: the size of the slot for an image.
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

    /// Divides a buffer that the caller has checked to be large enough for a valid plan.
    package init(_ memory: UnsafeMutableRawBufferPointer, by plan: Plan) {
        // SAFETY: the plan's byte count is the sum of the lengths allocated here and of two blocks.
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

    /// The size of each part. A plan can be created from any numbers, but no member except
    /// ``isValid`` may be used unless the plan is valid.
    package struct Plan {
        /// The length of the longest accepted blocks.
        let blockByteCount: Int
        private let blocksByteCount: Int
        let receivedWordCount: Int
        let heldWordCount: Int

        /// - Parameter blockByteCount: any number except 0.
        package init(blockByteCount: Int, slotByteCount: Int) {
            self.blockByteCount = blockByteCount
            blocksByteCount = max(2 &* blockByteCount, 1_024)
            // One bit for 8 bytes, as computed by
            // ``ReceiverMemory/receivedWordCount(slotCount:blockByteCount:chunkByteCountMin:)``
            // for a power of two.
            receivedWordCount = blocksByteCount / (8 &* UInt.bitWidth)
            // Enough words for one bit per whole block, and one more bit for a partial last block.
            let wholeCount =
                UInt32(truncatingIfNeeded: slotByteCount)
                / UInt32(truncatingIfNeeded: blockByteCount)
            heldWordCount = Int(truncatingIfNeeded: wholeCount / UInt32(UInt.bitWidth) &+ 1)
        }

        /// Whether the block length is valid.
        package var isValid: Bool {
            256...65_536 ~= blockByteCount && blockByteCount & (blockByteCount &- 1) == 0
        }

        /// The number of bytes needed besides the blocks. The sum can't overflow, because the
        /// maps have less than one bit for each byte of a slot.
        var overheadByteCount: Int {
            MemoryLayout<UInt>.size &* (receivedWordCount &+ heldWordCount)
        }

        package var byteCount: Int { overheadByteCount &+ blocksByteCount }
    }
}

extension UnsafeMutableRawPointer {
    /// Allocates memory for `count` values at this pointer, and advances the pointer past them.
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
