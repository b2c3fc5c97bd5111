import BLEOTAWire

// The attributes on which a device acts. Each function takes the bytes from which the fields
// were read, and returns `nil` if the manifest does not have the attribute.
extension ManifestFields {
    /// Returns the hardware that the image is for.
    public func hardware(in manifest: RawSpan) -> ManifestHardware? {
        // SAFETY: a value that was found is in bounds.
        value(of: .hardware, in: manifest)
            .map { ManifestHardware(at: $0.lowerBound, in: manifest) }
    }

    /// Returns the security counter of the image.
    public func counter(in manifest: RawSpan) -> UInt32? {
        value(of: .counter, in: manifest).map { manifest.uint32(at: $0.lowerBound) }
    }

    /// Returns the last second in which the image is valid, in Unix time.
    public func expiry(in manifest: RawSpan) -> UInt64? {
        value(of: .expiry, in: manifest).map { manifest.uint64(at: $0.lowerBound) }
    }

    /// Returns the encoding of the image, or `nil` if the image is transferred unencoded.
    public func encoding(in manifest: RawSpan) -> ManifestEncoding? {
        value(of: .encoding, in: manifest)
            .map { ManifestEncoding(at: $0.lowerBound, in: manifest) }
    }

    //= ENC-7: A receiver MUST ignore a sketch in a manifest without an encoding. It MUST also
    //= ignore a sketch with more entries than the image has blocks.
    /// Returns the sketch of the decoded image, or `nil` if there is none or if it must be
    /// ignored.
    public func sketch(in manifest: RawSpan) -> ManifestSketch? {
        guard let value = value(of: .sketch, in: manifest),
            let encoding = encoding(in: manifest)
        else { return nil }
        return ManifestSketch(
            hashes: value,
            imageByteCount: encoding.imageByteCount,
            blockByteCount: blockByteCount
        )
    }

    /// Returns the byte range of the SHA-256 of the base of a patch, 32 bytes.
    public func base(in manifest: RawSpan) -> Range<Int>? { value(of: .base, in: manifest) }

    /// Returns the seal of the image.
    public func seal(in manifest: RawSpan) -> ManifestSeal? {
        value(of: .seal, in: manifest).map(ManifestSeal.init)
    }
}
