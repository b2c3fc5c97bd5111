/// One block buffer of a reassembler and what is in it.
public struct BlockSlot: BitwiseCopyable {
    enum Status: UInt8, BitwiseCopyable {
        /// Chunks are missing.
        case filling
        /// Whole, and not yet handed to the store.
        case complete
        /// With the store.
        case handedOver
        /// Stored, or held from before: its buffer is free once the blocks before it are.
        case stored
    }

    var status = Status.filling
    /// How many of the block's bytes have not arrived.
    var missingByteCount: UInt32 = 0

    /// An empty slot.
    public init() {}
}
