import BLEOTAWire

/// Goes through the attributes of a manifest.
///
/// ```swift
/// var cursor = fields.attributeCursor
/// while let attribute = cursor.next(in: manifest) { … }
/// ```
public struct ManifestAttributeCursor: Sendable, BitwiseCopyable {
    /// Where the next attribute begins.
    private(set) var byteOffset: Int
    private let end: Int

    /// A cursor before the first attribute of those that fill `range`.
    init(range: Range<Int>) {
        byteOffset = range.lowerBound
        end = range.upperBound
    }

    /// Whether nothing is left, not even what is no attribute.
    var isAtEnd: Bool { byteOffset == end }

    /// The next attribute, also one of an unknown type; `nil` after the last.
    ///
    /// - Parameter manifest: the whole manifest, the same with each call.
    public mutating func next(in manifest: RawSpan) -> ManifestAttribute? {
        precondition(end <= manifest.byteCount)
        return next(inWhole: manifest)
    }

    /// The same in a manifest that has been seen to have room for the attributes.
    @inline(__always)
    mutating func next(inWhole manifest: RawSpan) -> ManifestAttribute? {
        // A manifest has 32 MiB at most, so that no sum of an offset and a length wraps.
        let valueStart = byteOffset &+ ManifestLayout.attributeValue
        guard valueStart <= end else { return nil }
        // SAFETY: both bytes are before a value that begins at the end at the latest.
        let type = manifest.number(
            uncheckedAt: byteOffset &+ ManifestLayout.attributeType,
            as: UInt8.self
        )
        let valueByteCount = manifest.number(
            uncheckedAt: byteOffset &+ ManifestLayout.attributeValueByteCount,
            as: UInt8.self
        )
        let attribute = ManifestAttribute(
            type: ManifestAttributeType(rawValue: type),
            byteOffset: byteOffset,
            valueByteCount: Int(valueByteCount)
        )
        guard attribute.value.upperBound <= end else { return nil }
        byteOffset = attribute.value.upperBound
        return attribute
    }
}
