import BLEOTACore

/// How a store behaves: how long things take, and what goes wrong until it heals.
struct StoreBehavior {
    var lookUp = Microseconds.zero
    var write = Microseconds.zero
    var sync = Microseconds.zero
    var judge = Microseconds.zero
    var publish = Microseconds.zero
    /// A sync after so many written blocks.
    var blocksPerSync = 1
    /// What a power cut makes of blocks that were written and not synced.
    enum UnsyncedBlocks: Hashable {
        case stays
        case goes
        /// Each stays, goes, or is there in part.
        case each
    }

    var unsynced = UnsyncedBlocks.goes
    /// The flash that it is; without one a store of files. What it says about writing and syncing
    /// then counts in place of what stands here.
    var flash: FlashSettings?
    /// The blocks that a manifest is stored in.
    var manifestBlockByteCount = ObjectPlan.manifestBlockByteCount
    /// Whether the blocks of an incomplete manifest are kept.
    var keepsPartialManifest = true
    /// A byte changes in memory between the frame check and the block check.
    var memoryFault = 0.0
    /// A byte of a stored block changes before the image is verified.
    var storageFault = 0.0
    /// How many of 1,000 image blocks are there from an earlier attempt.
    var heldPerMille = 0

    /// A store that behaves so, and has room for a transfer.
    func make(for transfer: InMemoryTransfer, seed: UInt64) -> any DeviceStore {
        guard let flash else { return InMemoryStore(self, seed: seed) }
        return SimulatedFlashStore(self, flash, for: transfer, seed: seed)
    }
}
