import BLEOTAManifest
import BLEOTAWire

/// The hashes of an image, as its manifest contains them.
struct ImageHashes: Equatable {
    /// The SHA-256 of the whole image.
    let image: [UInt8]
    /// The first 16 bytes of each block's SHA-256, one after another.
    let blocks: [UInt8]

    init(image: [UInt8], blocks: [UInt8]) {
        self.image = image
        self.blocks = blocks
    }

    /// Hashes an image, reading it once from beginning to end.
    ///
    /// - Parameter read: returns exactly the requested bytes, at most 64 KiB, or throws.
    init<Failure: Error>(
        _ imageByteCount: Int,
        _ blockByteCount: Int,
        _ read: (_ byteOffset: Int, _ byteCount: Int) throws(Failure) -> [UInt8]
    ) throws(Failure) {
        var whole = SHA256()
        var blocks: [UInt8] = []
        let blockCount = (imageByteCount + blockByteCount - 1) / blockByteCount
        blocks.reserveCapacity(blockCount * ManifestLayout.blockHashByteCount)
        // Read as many whole blocks as 64 KiB hold, so that small blocks don't cost a call each.
        let pieceByteCount = 1 << 16
        var byteOffset = 0
        while byteOffset < imageByteCount {
            let byteCount = min(pieceByteCount, imageByteCount - byteOffset)
            let piece = try read(byteOffset, byteCount)
            precondition(piece.count == byteCount, "read must return the bytes that were requested")
            piece.withUnsafeBytes { piece in
                whole.update(piece)
                for start in stride(from: 0, to: byteCount, by: blockByteCount) {
                    let end = min(start + blockByteCount, byteCount)
                    let block = UnsafeRawBufferPointer(rebasing: piece[start..<end])
                    SHA256.withDigest(of: block) {
                        blocks += $0.prefix(ManifestLayout.blockHashByteCount)
                    }
                }
            }
            byteOffset += byteCount
        }
        image = whole.digest
        self.blocks = blocks
    }
}
