/// Which hardware an image is for.
public struct ManifestHardware: Hashable, Sendable {
    /// From the lowest revision to the highest.
    public let revisions: ClosedRange<UInt16>
    /// Where in the manifest its name stands: `vendor/hardware` in UTF-8, 3 to 64 bytes.
    public let name: Range<Int>
}
