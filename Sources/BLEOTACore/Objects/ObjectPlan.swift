/// What a receiver has to know of an object before its first chunk arrives.
public struct ObjectPlan: Sendable {
    /// Manifest or image.
    public package(set) var object: ObjectID
    /// Its length, at least 1.
    public let byteCount: UInt32
    /// The length of its blocks, a multiple of 4 and less than 2³¹.
    public let blockByteCount: Int
    /// The blocks that are held already. The receiver keeps it up to date; its memory belongs to
    /// the receiver until the next plan or the end of the session.
    public let held: BlockMap
    /// The bits of how much is held from the beginning on that say how much of it is durable, as
    /// long as not all is held: what is erased together has to be held together.
    package let durableMask: UInt32

    /// Makes a plan.
    ///
    /// - Parameters:
    ///   - object: manifest or image.
    ///   - blockByteCount: a multiple of 4, as the lengths of chunks are. Other blocks could end a
    ///     byte or two after a chunk begins, and the memory in which they lie could be too short
    ///     for that chunk.
    ///   - held: a bit for each of the object's blocks.
    public init(
        object: ObjectID,
        byteCount: UInt32,
        blockByteCount: Int,
        held: BlockMap
    ) {
        precondition(object.isTransferred && byteCount > 0)
        precondition(blockByteCount > 0 && blockByteCount <= Int32.max && blockByteCount % 4 == 0)
        precondition(held.blockCount == Self.blockCount(byteCount, blockByteCount))
        self.object = object
        self.byteCount = byteCount
        self.blockByteCount = blockByteCount
        self.held = held
        durableMask = .max
    }

    /// What a store has before the first object.
    package init() {
        object = .manifest
        byteCount = 0
        blockByteCount = 0
        durableMask = 0
        held = BlockMap()
    }

    /// A plan with no block held, for a store that has room for it.
    package init(
        _ object: ObjectID,
        byteCount: UInt32,
        blockByteCount: Int,
        heldIn words: UnsafeMutableBufferPointer<UInt>,
        durableMask: UInt32
    ) {
        self.object = object
        self.byteCount = byteCount
        self.blockByteCount = blockByteCount
        self.durableMask = durableMask
        held = BlockMap(blockCount: Self.blockCount(byteCount, blockByteCount), in: words)
    }

    /// The number of blocks of an object.
    public static func blockCount(_ byteCount: UInt32, _ blockByteCount: Int) -> Int {
        Int(truncatingIfNeeded: byteCount / UInt32(blockByteCount))
            + (byteCount % UInt32(blockByteCount) == 0 ? 0 : 1)
    }

    /// On a host the blocks of a manifest have this many bytes, whatever those of its image.
    public static var manifestBlockByteCount: Int { 4_096 }
}
