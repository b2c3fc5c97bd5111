/// The description of an object that a receiver needs before the object's first chunk arrives.
public struct ObjectPlan: Sendable {
    /// The object: manifest or image.
    public package(set) var object: ObjectID
    /// The length of the object in bytes, at least 1.
    public let byteCount: UInt32
    /// The length of a block in bytes, a multiple of 4 and less than 2³¹.
    public let blockByteCount: Int
    /// The blocks that the receiver already holds. The receiver keeps the map up to date. The
    /// map's memory belongs to the receiver until the next plan or the end of the session.
    public let held: BlockMap
    /// A bit mask that rounds the length of the held prefix down to its durable part. An erase
    /// unit is durable only when all of its blocks are held. The mask does not apply once the
    /// whole object is held.
    package let durableMask: UInt32

    /// Creates a plan.
    ///
    /// - Parameters:
    ///   - object: the manifest or the image.
    ///   - byteCount: the length of the object, at least 1.
    ///   - blockByteCount: a multiple of 4, as chunk sizes are. Otherwise a block could end one to
    ///     three bytes into a chunk, and the receiver's memory could be too small to hold the rest
    ///     of that chunk.
    ///   - held: a map with one bit for each block of the object.
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

    /// Creates the empty plan that a store has before its first object.
    package init() {
        object = .manifest
        byteCount = 0
        blockByteCount = 0
        durableMask = 0
        held = BlockMap()
    }

    /// Creates a plan with no block held, whose map is in `words`.
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

    /// Returns the number of blocks of an object, given the lengths of the object and of a
    /// block.
    public static func blockCount(_ byteCount: UInt32, _ blockByteCount: Int) -> Int {
        Int(truncatingIfNeeded: byteCount / UInt32(blockByteCount))
            + (byteCount % UInt32(blockByteCount) == 0 ? 0 : 1)
    }

    /// The block length of a manifest on a host, in bytes. It does not depend on the image's
    /// blocks.
    public static var manifestBlockByteCount: Int { 4_096 }
}
