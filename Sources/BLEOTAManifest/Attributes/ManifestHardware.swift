import BLEOTAWire

/// The hardware that an image is for.
public struct ManifestHardware: Hashable, Sendable {
    /// The supported revisions, from the lowest to the highest.
    public let revisions: ClosedRange<UInt16>
    /// The byte range in the manifest of the name: `vendor/hardware` in UTF-8, 3 to 64 bytes.
    public let name: Range<Int>

    /// Reads the value of an attribute that has been checked.
    package init(at start: Int, in manifest: RawSpan) {
        // SAFETY: the name follows both numbers, and these are in order.
        revisions = ClosedRange(uncheckedBounds: Self.revisions(at: start, in: manifest))
        let nameStart = start &+ ManifestLayout.hardwareName
        name = Range(uncheckedBounds: (nameStart, manifest.value(at: start).upperBound))
    }

    /// Returns the lowest and the highest revision as stored, even if they are in the wrong
    /// order.
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
