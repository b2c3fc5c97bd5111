import BLEOTAManifest
import BLEOTAWire

/// Finds the block of an image that has a given hash.
struct BlockPlaces {
    /// The first 16 bytes of a block's hash, as in a manifest.
    private struct BlockHash: Hashable {
        let halves: SIMD2<UInt64>

        /// - Parameter hashes: the hashes of all blocks, one after another.
        init(_ hashes: [UInt8], _ index: Int) {
            halves = hashes.withUnsafeBytes {
                $0.loadUnaligned(
                    fromByteOffset: index * ManifestLayout.blockHashByteCount,
                    as: SIMD2<UInt64>.self
                )
            }
        }
    }

    private let places: [BlockHash: Int]

    init(of hashes: ImageHashes) {
        let count = hashes.blocks.count / ManifestLayout.blockHashByteCount
        places = Dictionary(
            (0..<count).map { (BlockHash(hashes.blocks, $0), $0) },
            uniquingKeysWith: { first, _ in first }
        )
    }

    /// The index of a block with the same hash as block `index` of `hashes`; `nil` if there is
    /// none.
    subscript(hashes: ImageHashes, index: Int) -> Int? { places[BlockHash(hashes.blocks, index)] }
}
