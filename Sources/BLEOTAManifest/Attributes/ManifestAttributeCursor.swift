import BLEOTAWire

/// Iterates over the attributes of a manifest.
///
/// ```swift
/// var cursor = fields.attributeCursor
/// while let attribute = cursor.next(in: manifest) { … }
/// ```
public struct ManifestAttributeCursor: Sendable, BitwiseCopyable {
    /// The offset of the next attribute.
    private(set) var byteOffset: Int
    private let end: Int

    /// Creates a cursor at the first of the attributes that fill `range`.
    init(range: Range<Int>) {
        byteOffset = range.lowerBound
        end = range.upperBound
    }

    /// Whether no bytes are left, not even an incomplete attribute.
    var isAtEnd: Bool { byteOffset == end }

    /// Returns the next attribute, even if its type is unknown, or `nil` after the last one.
    ///
    /// - Parameter manifest: the whole manifest, the same in every call.
    public mutating func next(in manifest: RawSpan) -> ManifestAttribute? {
        precondition(end <= manifest.byteCount)
        return next(inWhole: manifest)
    }

    /// Does the same as ``next(in:)`` for a manifest that is known to be long enough for the
    /// attributes.
    @inline(__always)
    mutating func next(inWhole manifest: RawSpan) -> ManifestAttribute? {
        // A manifest is at most 32 MiB long, so the sum of an offset and a length never
        // overflows.
        let valueStart = byteOffset &+ ManifestLayout.attributeValue
        guard valueStart <= end else { return nil }
        // SAFETY: both bytes precede a value that begins no later than the end.
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
