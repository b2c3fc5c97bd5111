import BLEOTACore
import BLEOTAManifest
import BLEOTAWire

/// Whether a device has so much of an image that it is less to send as it is than compressed
/// (spec/bleota.md, section 4.5).
enum ImageSketch {
    /// The value of the attribute *sketch*, for an image in blocks of
    /// ``ImageDescription/blockByteCount``.
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

    //= ENC-6: A receiver that copies from its current image what an image has in common with it
    //= SHOULD, after all that [ACCEPT-1] asks, end the session with RESULT *mostly held* where h of
    //= the n entries are those of a block that it could copy, wherever that lies in the current
    //= image, and 2·(n − h)·I < n·N. Both products may have up to 39 bits.
    /// Why a device does not take what this manifest describes; `nil` where it takes it.
    ///
    /// - Parameter currentBlocks: the first 16 bytes of the SHA-256 of each block of the current
    ///   image, one after the other; asked for only where there is a sketch.
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
