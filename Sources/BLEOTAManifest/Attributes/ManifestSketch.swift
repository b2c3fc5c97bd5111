/// The hashes of a few blocks of the decoded image. From these, a device estimates how much of
/// the image it already holds (spec/bleota.md, section 4.5).
public struct ManifestSketch: Hashable, Sendable {
    /// The byte range of the hashes in the manifest, 4 bytes each.
    public let hashes: Range<Int>
    private let blockCount: Int

    /// Creates a sketch. Returns `nil` if there are more hashes than blocks.
    ///
    /// - Parameter imageByteCount: 1 or more. The number may exceed `Int.max` if `Int` has 32
    ///   bits.
    init?(hashes: Range<Int>, imageByteCount: UInt32, blockByteCount: Int) {
        self.hashes = hashes
        blockCount = Int((imageByteCount - 1) / UInt32(blockByteCount)) + 1
        guard count <= blockCount else { return nil }
    }

    /// The number of hashes, 1 to 63.
    public var count: Int { hashes.count / ManifestLayout.sketchHashByteCount }

    /// Returns the index of the block to which a hash belongs.
    ///
    /// - Parameter index: the index of a hash, below ``count``.
    public func blockIndex(ofHash index: Int) -> Int {
        Self.blockIndex(ofHash: index, of: count, blockCount: blockCount)
    }

    /// Returns the index of the block whose hash a sketch of `count` hashes must contain at
    /// `index`.
    ///
    /// - Parameters:
    ///   - index: the index of a hash, below `count`.
    ///   - count: the number of hashes, at most `blockCount`.
    ///   - blockCount: the number of blocks in the decoded image.
    public static func blockIndex(ofHash index: Int, of count: Int, blockCount: Int) -> Int {
        index * blockCount / count
    }
}
