package import BLEOTACore
import BLEOTAManifest
import BLEOTAWire

/// An image as it travels, with the manifest that describes it: as it is, or encoded
/// (spec/bleota.md, section 4.5).
package struct ImageVariant: Sendable {
    /// What is sent before it.
    package let manifest: Manifest
    let content: ByteSource

    /// - Parameter content: as long as the manifest says.
    init(_ manifest: Manifest, _ content: ByteSource) {
        precondition(content.byteCount == manifest.imageByteCount)
        self.manifest = manifest
        self.content = content
    }

    /// The length of what travels.
    package var byteCount: Int { content.byteCount }

    func read(at offset: Int, byteCount: Int) throws(FirmwareError) -> [UInt8] {
        try content.read(at: offset, byteCount: byteCount)
    }

    /// The same with more signatures.
    func signed(by keys: [SigningKey]) throws(ManifestError) -> ImageVariant {
        var signed = manifest
        for key in keys { signed = try signed.signed(by: key) }
        return ImageVariant(signed, content)
    }

    /// The numbers the protocol needs of it.
    package var offer: TransferDescription {
        TransferDescription(
            tag: manifest.tag,
            manifestByteCount: UInt32(manifest.bytes.count),
            imageByteCount: UInt32(manifest.imageByteCount),
            digestPrefix: manifest.receipt
        )
    }

    /// Whether the image has the hashes in its manifest and, where that can be told without a key
    /// and without another image, becomes what the manifest says. Reads it once or twice.
    func isRight() throws(FirmwareError) -> Bool {
        let hashes = try ImageHashes(manifest.imageByteCount, manifest.blockByteCount) {
            (offset, byteCount) throws(FirmwareError) in
            try read(at: offset, byteCount: byteCount)
        }
        guard hashes == manifest.hashes else { return false }
        guard let encoding = manifest.encoding, !encoding.isSealed, encoding.compression == .zlib
        else { return true }
        return try ImageDecoder().decode(
            manifest,
            base: { () throws(FirmwareError) in nil },
            read: { (range) throws(FirmwareError) in
                try read(at: range.lowerBound, byteCount: range.count)
            },
            write: { (_) throws(FirmwareError) in }
        )
    }
}

extension Manifest {
    /// The first 8 bytes of the image's SHA-256 as a little-endian number, as RESULT carries them.
    var receipt: UInt64 { UInt64(receiptOf: decodedSHA256) }
}
