// The attributes that a device goes by. Each is `nil` where the manifest does not have it, and
// takes the bytes that the fields were read from.
extension ManifestFields {
    /// Which hardware the image is for.
    public func hardware(in manifest: RawSpan) -> ManifestHardware? {
        guard let value = value(of: .hardware, in: manifest) else { return nil }
        let start = value.lowerBound
        let lowest = manifest.uint16(at: start + ManifestLayout.lowestRevision)
        let highest = manifest.uint16(at: start + ManifestLayout.highestRevision)
        return ManifestHardware(
            revisions: lowest...highest,
            name: start + ManifestLayout.hardwareName..<value.upperBound
        )
    }

    /// The security counter of the image.
    public func counter(in manifest: RawSpan) -> UInt32? {
        value(of: .counter, in: manifest).map { manifest.uint32(at: $0.lowerBound) }
    }

    /// The last second of its life, since the beginning of 1970, UTC.
    public func expiry(in manifest: RawSpan) -> UInt64? {
        value(of: .expiry, in: manifest).map { manifest.uint64(at: $0.lowerBound) }
    }
}
