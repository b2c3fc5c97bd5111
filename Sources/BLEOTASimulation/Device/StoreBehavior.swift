import BLEOTACore

/// The behavior of a store: the duration of its tasks, and the faults that occur until it heals.
struct StoreBehavior {
    var lookUp = Microseconds.zero
    var write = Microseconds.zero
    var sync = Microseconds.zero
    var judge = Microseconds.zero
    var publish = Microseconds.zero
    /// The number of written blocks that triggers a synchronization.
    var blocksPerSync = 1
    /// The effect of a power cut on blocks that were written but not synced.
    enum UnsyncedBlocks: Hashable {
        case stays
        case goes
        /// Each block is kept, lost, or kept in part.
        case each
    }

    var unsynced = UnsyncedBlocks.goes
    /// The flash memory of the store; `nil` for a store in memory. The behavior of the flash
    /// replaces `write`, `sync`, `blocksPerSync` and `unsynced`.
    var flash: FlashSettings?
    /// The size of a manifest's blocks, in bytes.
    var manifestBlockByteCount = ObjectPlan.manifestBlockByteCount
    /// Whether the blocks of an incomplete manifest are kept.
    var keepsPartialManifest = true
    /// The probability, for each block, that one of its bytes changes in memory between the frame
    /// check and the block check.
    var memoryFault = 0.0
    /// The probability, for each verification of the image, that a stored byte changes beforehand.
    var storageFault = 0.0
    /// The fraction of image blocks that an earlier attempt has stored, in thousandths.
    var heldPerMille = 0

    /// Creates a store with this behavior and with room for a transfer.
    func make(for transfer: InMemoryTransfer, seed: UInt64) -> any DeviceStore {
        guard let flash else { return InMemoryStore(self, seed: seed) }
        return SimulatedFlashStore(self, flash, for: transfer, seed: seed)
    }
}
