import BLEOTAWire

/// Which hardware an image is for.
public struct ManifestHardware: Hashable, Sendable {
    /// From the lowest revision to the highest.
    public let revisions: ClosedRange<UInt16>
    /// Where in the manifest its name stands: `vendor/hardware` in UTF-8, 3 to 64 bytes.
    public let name: Range<Int>

    /// Reads the value of an attribute that has been checked.
    package init(at start: Int, in manifest: RawSpan) {
        // SAFETY: its name is behind both numbers, and they are in order.
        revisions = ClosedRange(uncheckedBounds: Self.revisions(at: start, in: manifest))
        let nameStart = start &+ ManifestLayout.hardwareName
        name = Range(uncheckedBounds: (nameStart, manifest.value(at: start).upperBound))
    }

    /// The lowest revision and the highest of a value that has both, in whatever order.
    static func revisions(
        at start: Int,
        in manifest: RawSpan
    ) -> (lower: UInt16, upper: UInt16) {
        (
            manifest.number(
                uncheckedAt: start &+ ManifestLayout.lowestRevision,
                as: UInt16.self
            ),
            manifest.number(
                uncheckedAt: start &+ ManifestLayout.highestRevision,
                as: UInt16.self
            )
        )
    }
}
