/// Which block of an image has which hash.
struct BlockPlaces {
    /// The 16 bytes that a manifest has of a hash.
    private struct BlockHash: Hashable {
        let halves: SIMD2<UInt64>

        init(_ manifest: Manifest, _ index: Int) {
            let start = manifest.fields.hash(ofBlock: index).lowerBound
            halves = manifest.bytes.withUnsafeBytes {
                $0.loadUnaligned(fromByteOffset: start, as: SIMD2<UInt64>.self)
            }
        }
    }

    private let places: [BlockHash: Int]

    init(of manifest: Manifest) {
        places = Dictionary(
            (0..<manifest.blockCount).map { (BlockHash(manifest, $0), $0) },
            uniquingKeysWith: { first, _ in first }
        )
    }

    /// Where a block is that has the hash of block `index` of this manifest; `nil` if none is.
    subscript(manifest: Manifest, index: Int) -> Int? { places[BlockHash(manifest, index)] }
}
