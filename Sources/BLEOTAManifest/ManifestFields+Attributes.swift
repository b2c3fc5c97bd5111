import BLEOTAWire

// The attributes that a device goes by. Each is `nil` where the manifest does not have it, and
// takes the bytes that the fields were read from.
extension ManifestFields {
    /// Which hardware the image is for.
    public func hardware(in manifest: RawSpan) -> ManifestHardware? {
        // SAFETY: a value was found, so its length was seen to be inside.
        value(of: .hardware, in: manifest)
            .map { ManifestHardware(at: $0.lowerBound, in: manifest) }
    }

    /// The security counter of the image.
    public func counter(in manifest: RawSpan) -> UInt32? {
        value(of: .counter, in: manifest).map { manifest.uint32(at: $0.lowerBound) }
    }

    /// The last second of its life, since the beginning of 1970, UTC.
    public func expiry(in manifest: RawSpan) -> UInt64? {
        value(of: .expiry, in: manifest).map { manifest.uint64(at: $0.lowerBound) }
    }

    /// What the image becomes that travels; `nil` where it travels as it is.
    public func encoding(in manifest: RawSpan) -> ManifestEncoding? {
        value(of: .encoding, in: manifest)
            .map { ManifestEncoding(at: $0.lowerBound, in: manifest) }
    }

    //= ENC-7: A receiver MUST ignore a sketch in a manifest without an encoding, and one of more
    //= entries than the image has blocks.
    /// What there is of a sketch of the image that is encoded; `nil` also for one to be ignored.
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

    /// Where the SHA-256 of the image stands that a patch is against, 32 bytes.
    public func base(in manifest: RawSpan) -> Range<Int>? { value(of: .base, in: manifest) }

    /// For whom it is sealed.
    public func seal(in manifest: RawSpan) -> ManifestSeal? {
        value(of: .seal, in: manifest).map(ManifestSeal.init)
    }
}
