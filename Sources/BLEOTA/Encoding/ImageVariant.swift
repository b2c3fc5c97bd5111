package import BLEOTACore
import BLEOTAManifest
import BLEOTAWire

/// An image as it is sent, unencoded or encoded, with the manifest that describes it
/// (spec/bleota.md, section 4.5).
package struct ImageVariant: Sendable {
    /// The manifest, which is sent first.
    package let manifest: Manifest
    let content: ByteSource

    /// - Parameter content: the image as it is sent. Its length must be the one in the manifest.
    init(_ manifest: Manifest, _ content: ByteSource) {
        precondition(content.byteCount == manifest.imageByteCount)
        self.manifest = manifest
        self.content = content
    }

    /// The length of the image as it is sent.
    package var byteCount: Int { content.byteCount }

    func read(at offset: Int, byteCount: Int) throws(FirmwareError) -> [UInt8] {
        try content.read(at: offset, byteCount: byteCount)
    }

    /// The same variant with one more signature by each key.
    func signed(by keys: [SigningKey]) throws(ManifestError) -> ImageVariant {
        var signed = manifest
        for key in keys { signed = try signed.signed(by: key) }
        return ImageVariant(signed, content)
    }

    /// The description of the transfer for a ``Sender``.
    package var offer: TransferDescription {
        TransferDescription(
            tag: manifest.tag,
            manifestByteCount: UInt32(manifest.bytes.count),
            imageByteCount: UInt32(manifest.imageByteCount),
            digestPrefix: manifest.receipt
        )
    }

    /// Whether the content matches the hashes in its manifest. A zlib stream that is not sealed
    /// is also decoded and checked; other encodings would need a key or another image. Reads
    /// the content once or twice.
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
    /// The first 8 bytes of the image's SHA-256 as a little-endian number, the form used in
    /// RESULT.
    var receipt: UInt64 { UInt64(receiptOf: decodedSHA256) }
}
