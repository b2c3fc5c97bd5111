import BLEOTACore
import BLEOTAManifest
import BLEOTAWire

/// Estimates whether a device already has so much of an image that sending the rest unencoded
/// is cheaper than sending the image compressed (spec/bleota.md, section 4.5).
enum ImageSketch {
    /// The value of the *sketch* attribute, for an image with blocks of
    /// ``ImageDescription/blockByteCount`` bytes.
    static func make(of image: [UInt8]) -> [UInt8] {
        let blockByteCount = ImageDescription.blockByteCount
        let blockCount = (image.count + blockByteCount - 1) / blockByteCount
        let count = min(blockCount, ManifestLayout.sketchHashCountMax)
        return (0..<count).flatMap { index in
            let start =
                blockByteCount
                * ManifestSketch.blockIndex(ofHash: index, of: count, blockCount: blockCount)
            let block = image[start..<min(start + blockByteCount, image.count)]
            return SHA256.digest(of: Array(block)).prefix(ManifestLayout.sketchHashByteCount)
        }
    }

    //= ENC-6: This rule is for a receiver that copies blocks from its current image if the new
    //= image has them too. Let h be the number of sketch entries that match a block of the current
    //= image, wherever this block lies. After all checks of [ACCEPT-1], the receiver SHOULD end the
    //= session with RESULT *mostly held* if 2·(n − h)·I < n·N.
    /// The reason a device refuses the encoded image of this manifest; `nil` if it accepts the
    /// image.
    ///
    /// - Parameter currentBlocks: returns the first 16 bytes of the SHA-256 of each block of
    ///   the current image, concatenated. Called only if the manifest has a sketch.
    static func refusal<Failure: Error>(
        of manifest: Manifest,
        currentBlocks: () throws(Failure) -> [UInt8]
    ) throws(Failure) -> ManifestRefusal? {
        guard let sketch = manifest.fields.sketch(in: manifest.bytes.span.bytes) else { return nil }
        let blocks = try currentBlocks()
        let held = Set(
            stride(from: 0, to: blocks.count, by: ManifestLayout.blockHashByteCount)
                .map { blocks[$0..<$0 + ManifestLayout.sketchHashByteCount] }
        )
        let missingCount = manifest.bytes[sketch.hashes].chunks(
            of: ManifestLayout.sketchHashByteCount
        )
        .count { !held.contains($0) }
        let isLess =
            2 * missingCount * manifest.decodedByteCount < sketch.count * manifest.imageByteCount
        return isLess ? ManifestRefusal(.mostlyHeld) : nil
    }
}

extension ArraySlice<UInt8> {
    fileprivate func chunks(of byteCount: Int) -> [ArraySlice<UInt8>] {
        stride(from: startIndex, to: endIndex, by: byteCount).map { self[$0..<$0 + byteCount] }
    }
}
