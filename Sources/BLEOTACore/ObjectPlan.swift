/// What a receiver has to know of an object before its first chunk arrives.
public struct ObjectPlan: Sendable {
    /// Manifest or image.
    public let object: ObjectID
    /// Its length, at least 1.
    public let byteCount: UInt32
    /// The length of its blocks, less than 2³¹.
    public let blockByteCount: Int
    /// The blocks that are held already. The receiver keeps it up to date; its memory belongs to
    /// the receiver until the next plan or the end of the session.
    public let held: BlockMap
    /// How much of what is held from the beginning on is durable at the most.
    package let durableByteCountMax: UInt32

    /// Makes a plan.
    ///
    /// - Parameters:
    ///   - object: manifest or image.
    ///   - held: a bit for each of the object's blocks.
    ///   - durableByteCountMax: how much of the held blocks nothing can take back, where that is
    ///     not all of them.
    public init(
        object: ObjectID,
        byteCount: UInt32,
        blockByteCount: Int,
        held: BlockMap,
        durableByteCountMax: UInt32 = .max
    ) {
        precondition(object.isTransferred && byteCount > 0)
        precondition(blockByteCount > 0 && blockByteCount <= Int32.max)
        precondition(held.blockCount == Self.blockCount(byteCount, blockByteCount))
        self.object = object
        self.byteCount = byteCount
        self.blockByteCount = blockByteCount
        self.held = held
        self.durableByteCountMax = durableByteCountMax
    }

    /// The number of blocks of an object.
    public static func blockCount(_ byteCount: UInt32, _ blockByteCount: Int) -> Int {
        Int(truncatingIfNeeded: byteCount / UInt32(blockByteCount))
            + (byteCount % UInt32(blockByteCount) == 0 ? 0 : 1)
    }

    /// The blocks of a manifest have this many bytes, whatever those of its image.
    public static var manifestBlockByteCount: Int { 4_096 }
}
