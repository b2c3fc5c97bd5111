/// A few hashes of blocks of the image that is encoded, by which a device sees how much of it is
/// there already (spec/bleota.md, section 4.5).
public struct ManifestSketch: Hashable, Sendable {
    /// Where the hashes stand in the manifest, 4 bytes each.
    public let hashes: Range<Int>
    private let blockCount: Int

    /// `nil` where there are more hashes than blocks.
    ///
    /// - Parameter imageByteCount: 1 or more, and more than `Int` holds where that has 32 bits.
    init?(hashes: Range<Int>, imageByteCount: UInt32, blockByteCount: Int) {
        self.hashes = hashes
        blockCount = Int((imageByteCount - 1) / UInt32(blockByteCount)) + 1
        guard count <= blockCount else { return nil }
    }

    /// How many hashes there are, 1 to 63.
    public var count: Int { hashes.count / ManifestLayout.sketchHashByteCount }

    /// Which block of the image a hash is of.
    ///
    /// - Parameter index: below ``count``.
    public func blockIndex(ofHash index: Int) -> Int {
        Self.blockIndex(ofHash: index, of: count, blockCount: blockCount)
    }

    /// The same before there is a sketch.
    ///
    /// - Parameter count: how many hashes there are; no more than `blockCount`.
    public static func blockIndex(ofHash index: Int, of count: Int, blockCount: Int) -> Int {
        index * blockCount / count
    }
}
