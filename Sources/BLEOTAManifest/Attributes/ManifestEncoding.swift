import BLEOTAWire

/// The encoding of a transferred image, and the properties of the decoded image.
public struct ManifestEncoding: Hashable, Sendable {
    /// The compression of the image.
    public let compression: Compression
    /// Whether the image is sealed. If it is also compressed, it was compressed first.
    public let isSealed: Bool
    /// The length of the decoded image, 1 to 4,294,967,295 bytes.
    public let imageByteCount: UInt32
    /// The byte range in the manifest of the SHA-256 of the decoded image.
    public let imageSHA256: Range<Int>

    /// The first byte of the attribute, which is the detail of a refusal.
    public var byte: UInt8 {
        compression.rawValue | (isSealed ? ManifestLayout.sealedBit : 0)
    }

    /// Reads the value of an attribute that has been checked.
    package init(at start: Int, in manifest: RawSpan) {
        // SAFETY: a checked value has 37 bytes.
        let byte = manifest.number(
            uncheckedAt: start &+ ManifestLayout.encodingByte,
            as: UInt8.self
        )
        compression = Compression(rawValue: byte & ~ManifestLayout.sealedBit)
        isSealed = byte & ManifestLayout.sealedBit != 0
        imageByteCount = manifest.number(
            uncheckedAt: start &+ ManifestLayout.decodedImageByteCount,
            as: UInt32.self
        )
        imageSHA256 = Range(
            uncheckedBounds: (
                start &+ ManifestLayout.decodedImageSHA256,
                manifest.value(at: start).upperBound
            )
        )
    }
}
