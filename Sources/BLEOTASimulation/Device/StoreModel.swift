import BLEOTACore

/// How a store behaves: how long things take, and what goes wrong until it heals.
struct StoreModel {
    var lookUp = Microseconds.zero
    var write = Microseconds.zero
    var sync = Microseconds.zero
    var judge = Microseconds.zero
    var publish = Microseconds.zero
    /// A sync after so many written blocks.
    var blocksPerSync = 1
    /// Whether blocks that were written, but not synced, survive a power cut.
    var keepsUnsynced = false
    /// Whether the blocks of an incomplete manifest are kept.
    var keepsPartialManifest = true
    /// A byte changes in memory between the frame check and the block check.
    var memoryFault = 0.0
    /// A byte of a stored block changes before the image is verified.
    var storageFault = 0.0
    /// How many of 1,000 image blocks are there from an earlier attempt.
    var heldPerMille = 0
}
