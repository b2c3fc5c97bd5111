import BLEOTAManifest
import BLEOTAWire

/// Which block of an image has which hash.
struct BlockPlaces {
    /// The 16 bytes that a manifest has of a hash.
    private struct BlockHash: Hashable {
        let halves: SIMD2<UInt64>

        /// - Parameter hashes: of all blocks, one after the other.
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

    /// Where a block is that has the hash of block `index` of these; `nil` if none is.
    subscript(hashes: ImageHashes, index: Int) -> Int? { places[BlockHash(hashes.blocks, index)] }
}
