import BLEOTAWire

/// What the encoded image that travels is to become.
public struct ManifestEncoding: Hashable, Sendable {
    /// How it was compressed.
    public let compression: Compression
    /// Whether it was sealed then.
    public let isSealed: Bool
    /// How long the image is that it becomes, 1 to 4,294,967,295 bytes.
    public let imageByteCount: UInt32
    /// Where in the manifest the SHA-256 of that image stands.
    public let imageSHA256: Range<Int>

    /// The first byte of the attribute, as a refusal names it.
    public var byte: UInt8 {
        compression.rawValue | (isSealed ? ManifestLayout.sealedBit : 0)
    }

    /// Reads the value of an attribute that has been checked.
    package init(at start: Int, in manifest: RawSpan) {
        // SAFETY: so it has its 37 bytes.
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
